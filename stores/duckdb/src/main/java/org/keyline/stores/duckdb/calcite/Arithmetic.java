package org.keyline.stores.duckdb.calcite;

import java.util.List;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.jspecify.annotations.Nullable;
import org.keyline.stores.duckdb.translate.SqlType;

/**
 * Operators on numbers, bits and dates. Those that Calcite's grammar has not were written as others that have their precedence, with a
 * mark between: {@code a DIV b} as {@code a / `#DIV` / b}.
 */
final class Arithmetic {
    private final ExpressionTranslator of;

    Arithmetic(ExpressionTranslator of) {
        this.of = of;
    }

    /** The value of a call; null if it is none of these operators. */
    @Nullable
    Typed value(SqlCall call) {
        String operator = call.getOperator().getName();
        if (call.getKind() == SqlKind.PLUS_PREFIX) {
            return prefixed((SqlCall) call.operand(0));
        }
        switch (call.getKind()) {
            case MINUS_PREFIX:
                return NumberFunctions.negative(of.translate(call.operand(0)));
            case PLUS, MINUS:
                return sum(call, operator);
            case TIMES:
                return infix(call, "#^", "*");
            case DIVIDE:
                return infix(call, "#DIV", "/");
            case MOD:
                return NumberFunctions.modulo(of.translate(call.operand(0)), of.translate(call.operand(1)));
            default:
                break;
        }
        switch (operator) {
            case "&":
                return infix(call, "#|", "&");
            case "<<":
                return infix(call, "#>>", "<<");
            case "||":
                return Typed.of(
                        Duck.chain(
                                "||",
                                List.of(
                                        Coercions.text(of.translate(call.operand(0)))
                                                .node(),
                                        Coercions.text(of.translate(call.operand(1)))
                                                .node())),
                        SqlType.STRING);
            default:
                return null;
        }
    }

    /** The left operand of an infix operator that was written as {@code left op `mark` op right}; null if it was not. */
    private static @Nullable SqlNode marked(SqlCall call, String mark) {
        if (call.operand(0) instanceof SqlBasicCall left
                && left.getOperator().equals(call.getOperator())
                && left.operandCount() == 2
                && ExpressionTranslator.isMark(left.operand(1), mark)) {
            return left.operand(0);
        }
        return null;
    }

    private Typed infix(SqlCall call, String mark, String otherwise) {
        @Nullable SqlNode before = marked(call, mark);
        Typed left = of.translate(before == null ? call.operand(0) : before);
        Typed right = of.translate(call.operand(1));
        String operator = before == null ? otherwise : mark.substring(1);
        return switch (operator) {
            case "*" -> NumberFunctions.arithmetic("*", left, right);
            case "/" -> NumberFunctions.divide(left, right);
            case "DIV" -> NumberFunctions.integerDivide(left, right);
            default -> NumberFunctions.bits(operator, left, right);
        };
    }

    /** {@code + +x} is NOT x, {@code + -x} is ~x. */
    private Typed prefixed(SqlCall inner) {
        Typed x = of.translate(inner.operand(0));
        return inner.getKind() == SqlKind.PLUS_PREFIX
                ? Coercions.bool(Duck.prefix("NOT", Coercions.truth(x)))
                : NumberFunctions.inverted(x);
    }

    private Typed sum(SqlCall call, String operator) {
        SqlNode left = call.operand(0);
        SqlNode right = call.operand(1);
        FunctionCall context = new FunctionCall(operator, List.of(left, right), false, of, null);
        if (Intervals.isInterval(right)) {
            return Intervals.shifted(context, of.translate(left), right, operator.equals("+"));
        }
        if (Intervals.isInterval(left) && operator.equals("+")) {
            return Intervals.shifted(context, of.translate(right), left, true);
        }
        return NumberFunctions.arithmetic(operator, of.translate(left), of.translate(right));
    }
}
