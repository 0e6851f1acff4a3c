#!/usr/bin/env node
// The command's entry. It stands apart from `dist` because npm links it at install, before anything is built.
import "../dist/main.js";
