/**
 * Which expansions do more than read: arithmetic that evaluates names, `${x:=…}`, `${!x}`, `${x@P}`, `[[ -v … ]]`.
 *
 * Bash evaluates the text of a variable as an expression, and an array subscript in it runs command substitutions
 * (`x='a[$(touch F)]'; echo $((x))`), so an innocent-looking expansion can execute what an earlier command stored.
 * These are facts about syntax; what to do about them is the policy's matter.
 */
import type { ArithmeticExpression, ParameterExpansionPart, TestExpression, Word } from "unbash";

/** Levels of an expression that are looked at; what is deeper counts as risky. */
const MAX_DEPTH = 200;

/** True when all given expressions are made of numbers, operators and parentheses alone. */
export function arithmeticIsLiteral(expressions: readonly (ArithmeticExpression | undefined)[]): boolean {
  return expressions.every((expression) => expression === undefined || isLiteral(expression, 0));
}

function isLiteral(expression: ArithmeticExpression, depth: number): boolean {
  if (depth > MAX_DEPTH) return false;
  switch (expression.type) {
    case "ArithmeticBinary":
      return isLiteral(expression.left, depth + 1) && isLiteral(expression.right, depth + 1);
    case "ArithmeticUnary":
      return isLiteral(expression.operand, depth + 1);
    case "ArithmeticTernary":
      return [expression.test, expression.consequent, expression.alternate].every((each) => isLiteral(each, depth + 1));
    case "ArithmeticGroup":
      return isLiteral(expression.expression, depth + 1);
    case "ArithmeticWord":
      return /^(?:0[xX][0-9a-fA-F]+|\d+(?:#[0-9a-zA-Z@_]+)?)$/.test(expression.value.trim());
    case "ArithmeticCommandExpansion":
      return false;
  }
}

/** Says what a `${…}` does beyond reading, or "none". */
export function whyParameterActs(
  part: ParameterExpansionPart,
): "assign" | "indirect" | "transform" | "subscript" | "error" | "none" {
  if (part.prefix === "!") return part.operation?.type === "Names" ? "none" : "indirect";
  if (part.index !== undefined && !isPlainSubscript(part.index)) return "subscript";
  const operation = part.operation;
  if (operation === undefined) return "none";
  switch (operation.type) {
    case "Default":
      if (operation.operator.endsWith("=")) return "assign";
      return operation.operator.endsWith("?") ? "error" : "none";
    case "Transform":
    case "Unknown":
      return "transform";
    case "Slice":
      return isNumber(operation.offset) && (operation.length === undefined || isNumber(operation.length))
        ? "none"
        : "subscript";
    case "Remove":
    case "Replace":
    case "CaseModification":
    case "Names":
      return "none";
  }
}

/** True where a `[[ … ]]` evaluates an operand as arithmetic or as a variable name. */
export function testEvaluates(expression: TestExpression, depth = 0): boolean {
  if (depth > MAX_DEPTH) return true;
  switch (expression.type) {
    case "TestUnary":
      return expression.operator === "-v" || expression.operator === "-R";
    case "TestBinary":
      return (
        /^-(?:eq|ne|lt|le|gt|ge)$/.test(expression.operator) &&
        !(isNumber(expression.left) && isNumber(expression.right))
      );
    case "TestLogical":
      return expression.operands.some((operand) => testEvaluates(operand, depth + 1));
    case "TestNot":
      return testEvaluates(expression.operand, depth + 1);
    case "TestGroup":
      return testEvaluates(expression.expression, depth + 1);
  }
}

function isNumber(word: Word): boolean {
  return /^\s*-?\d+\s*$/.test(word.text);
}

function isPlainSubscript(word: Word): boolean {
  return /^(?:\d+|@|\*)$/.test(word.text);
}
