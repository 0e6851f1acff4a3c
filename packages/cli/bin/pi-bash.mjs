#!/usr/bin/env node
// The command's entry. It stands apart from `dist` because npm links it at install, before anything is built.
import { main } from "../dist/index.js";

process.exitCode = await main(process.argv.slice(2));
