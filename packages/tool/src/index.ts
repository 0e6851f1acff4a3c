/** The public names of `@pi-bash/tool`. */
export {};
