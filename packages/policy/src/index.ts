/** May this command run. Nobody inside the package imports from here. */
export { type Classification, type ClassifyContext, type CommandClass, classify } from "./classify.ts";
export {
  checkBashInterception,
  type InterceptionOptions,
  type InterceptionResult,
  type InvalidRule,
} from "./interception/interceptor.ts";
