package org.keyline.stores.duckdb.calcite;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDynamicParam;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSelectKeyword;
import org.apache.calcite.sql.fun.SqlCase;
import org.apache.calcite.sql.fun.SqlQuantifyOperator;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.duckdb.translate.ParserText;
import org.keyline.stores.duckdb.translate.SqlType;
import org.keyline.stores.duckdb.translate.SqlType.Family;

/** Expressions of one clause: every name resolved, every type known, every coercion explicit. */
final class ExpressionTranslator {

    private final Translation translation;
    private final ParserText text;
    private final NameScope scope;
    private final String clause;
    private final QueryTranslator queries;
    /** Whether names of the SELECT list stand for their items: in HAVING always, elsewhere only where no column has the name. */
    private final boolean aliasFirst;

    private final boolean aliases;

    ExpressionTranslator(
            Translation translation,
            ParserText text,
            NameScope scope,
            String clause,
            QueryTranslator queries,
            boolean aliases,
            boolean aliasFirst) {
        this.translation = translation;
        this.text = text;
        this.scope = scope;
        this.clause = clause;
        this.queries = queries;
        this.aliases = aliases;
        this.aliasFirst = aliasFirst;
    }

    Translation translation() {
        return translation;
    }

    String name(String parsed) {
        return text.name(parsed);
    }

    Typed translate(SqlNode node) {
        translation.step();
        if (node instanceof SqlDynamicParam param) {
            return translation.value(text.values().get(param.getIndex()));
        }
        if (node instanceof SqlIdentifier identifier) {
            return identifier(identifier);
        }
        if (node instanceof SqlLiteral literal) {
            return literal(literal);
        }
        if (node instanceof SqlCase when) {
            return cased(when);
        }
        if (QueryTranslator.isQuery(node)) {
            return scalar(node);
        }
        if (node instanceof SqlCall call) {
            return call(call);
        }
        throw StatementRefusedException.unsupported("the expression " + node.getKind());
    }

    List<Typed> all(List<SqlNode> nodes) {
        List<Typed> all = new ArrayList<>(nodes.size());
        nodes.forEach(node -> all.add(translate(node)));
        return all;
    }

    SqlNode truth(SqlNode node) {
        return Coercions.truth(translate(node));
    }

    private Typed identifier(SqlIdentifier identifier) {
        List<String> parts = identifier.names.stream().map(this::name).toList();
        if (identifier.isStar()) {
            throw StatementRefusedException.syntax("You have an error in your SQL syntax near '*'");
        }
        if (aliases && parts.size() == 1) {
            @Nullable Typed alias = scope.alias(parts.get(0));
            if (alias != null && (aliasFirst || scope.own(parts, clause) == null)) {
                return alias;
            }
        }
        return scope.column(parts, clause);
    }

    private static Typed literal(SqlLiteral literal) {
        if (literal.getValue() == null) {
            return Typed.of(Duck.raw("NULL"), SqlType.NULL);
        }
        if (literal.getValue() instanceof Boolean value) {
            return Typed.of(Duck.raw(value ? "TRUE" : "FALSE"), SqlType.BOOLEAN, false);
        }
        throw StatementRefusedException.unsupported("the literal " + literal);
    }

    /** A subquery in place of a value. */
    private Typed scalar(SqlNode node) {
        QueryTranslator.Result result = queries.nested(node, text, scope);
        if (result.columns().size() != 1) {
            throw new StatementRefusedException(1241, "21000", "Operand should contain 1 column(s)");
        }
        return Typed.of(
                Duck.around("(", "", ")", result.node()),
                result.columns().get(0).type());
    }

    private Typed cased(SqlCase when) {
        List<Typed> values = new ArrayList<>(all(when.getThenOperands().getList()));
        SqlNode otherwise = when.getElseOperand();
        values.add(otherwise == null ? literal(SqlLiteral.createNull(when.getParserPosition())) : translate(otherwise));
        SqlType common = Coercions.common(values);
        List<SqlNode> nodes = Coercions.as(common, values);
        List<SqlNode> branches = new ArrayList<>();
        for (int i = 0; i < when.getWhenOperands().size(); i++) {
            branches.add(Duck.around(
                    "WHEN ", " THEN ", "", truth(when.getWhenOperands().get(i)), nodes.get(i)));
        }
        SqlNode last = Duck.around("ELSE ", "", "", nodes.get(nodes.size() - 1));
        branches.add(last);
        boolean nullable = values.stream().anyMatch(Typed::nullable);
        return new Typed(Duck.around("CASE ", " ", " END", branches.toArray(new SqlNode[0])), common, nullable, null);
    }

    private Typed call(SqlCall call) {
        return switch (call.getKind()) {
            case AND, OR -> logical(call);
            case NOT -> Coercions.bool(Duck.prefix("NOT", truth(call.operand(0))));
            case EQUALS -> compare("=", call);
            case NOT_EQUALS -> compare("<>", call);
            case LESS_THAN -> compare("<", call);
            case LESS_THAN_OR_EQUAL -> compare("<=", call);
            case GREATER_THAN -> compare(">", call);
            case GREATER_THAN_OR_EQUAL -> compare(">=", call);
            case IS_NOT_DISTINCT_FROM -> compare("IS NOT DISTINCT FROM", call);
            case BETWEEN -> between(call);
            case IN, NOT_IN -> in(call);
            case SOME, ALL -> quantified(call);
            case EXISTS -> exists(call);
            case IS_NULL -> tested(Duck.postfix(translate(call.operand(0)).node(), "IS NULL"));
            case IS_NOT_NULL -> tested(Duck.postfix(translate(call.operand(0)).node(), "IS NOT NULL"));
            case IS_TRUE -> tested(Duck.postfix(truth(call.operand(0)), "IS TRUE"));
            case IS_NOT_TRUE -> tested(Duck.postfix(truth(call.operand(0)), "IS NOT TRUE"));
            case IS_FALSE -> tested(Duck.postfix(truth(call.operand(0)), "IS FALSE"));
            case IS_NOT_FALSE -> tested(Duck.postfix(truth(call.operand(0)), "IS NOT FALSE"));
            case LIKE -> like(call);
            case RLIKE -> matches(call);
            case OVER -> function(call.operand(0), Windows.over(call.operand(1), this));
            case GROUP_CONCAT -> groupConcat(call);
            case ITEM -> item(call);
            case ROW -> throw new StatementRefusedException(1241, "21000", "Operand should contain 1 column(s)");
            default -> {
                Typed value = new Arithmetic(this).value(call);
                yield value == null ? function(call, null) : value;
            }
        };
    }

    private static Typed tested(SqlNode node) {
        return Typed.of(node, SqlType.BOOLEAN, false);
    }

    /** AND and OR as one chain, and XOR, which was written as {@code OR `#XOR` OR}. */
    private Typed logical(SqlCall call) {
        boolean or = call.getKind() == SqlKind.OR;
        List<SqlNode> operands = new ArrayList<>();
        flatten(call, call.getKind(), operands);
        List<SqlNode> parts = new ArrayList<>();
        for (int i = 0; i < operands.size(); i++) {
            if (or && isMark(operands.get(i), "#XOR")) {
                i++;
                SqlNode left = parts.remove(parts.size() - 1);
                parts.add(Duck.infix(left, "<>", truth(operands.get(i))));
            } else {
                parts.add(truth(operands.get(i)));
            }
        }
        return Coercions.bool(Duck.chain(or ? "OR" : "AND", parts));
    }

    private static void flatten(SqlNode node, SqlKind kind, List<SqlNode> into) {
        SqlNode rest = node;
        List<SqlNode> reversed = new ArrayList<>();
        while (rest.getKind() == kind) {
            SqlCall call = (SqlCall) rest;
            SqlNode right = call.operand(1);
            if (right.getKind() == kind) {
                List<SqlNode> inner = new ArrayList<>();
                flatten(right, kind, inner);
                java.util.Collections.reverse(inner);
                reversed.addAll(inner);
            } else {
                reversed.add(right);
            }
            rest = call.operand(0);
        }
        reversed.add(rest);
        java.util.Collections.reverse(reversed);
        into.addAll(reversed);
    }

    static boolean isMark(SqlNode node, String mark) {
        return node instanceof SqlIdentifier id
                && id.isSimple()
                && id.getSimple().equals(mark);
    }

    private Typed compare(String operator, SqlCall call) {
        SqlNode left = call.operand(0);
        SqlNode right = call.operand(1);
        if (left.getKind() == SqlKind.ROW || right.getKind() == SqlKind.ROW) {
            return Coercions.bool(Comparisons.rows(operator, row(left), row(right)));
        }
        SqlNode compared = Comparisons.compare(operator, translate(left), translate(right));
        return operator.startsWith("IS") ? tested(compared) : Coercions.bool(compared);
    }

    private List<Typed> row(SqlNode node) {
        if (node.getKind() != SqlKind.ROW) {
            throw QueryTranslator.isQuery(node)
                    ? StatementRefusedException.unsupported("comparison of a row with a subquery")
                    : new StatementRefusedException(1241, "21000", "Operand should contain 1 column(s)");
        }
        return all(((SqlCall) node).getOperandList());
    }

    private Typed between(SqlCall call) {
        Typed x = translate(call.operand(0));
        SqlNode both = Duck.chain(
                "AND",
                List.of(
                        Comparisons.compare(">=", x, translate(call.operand(1))),
                        Comparisons.compare("<=", x, translate(call.operand(2)))));
        return Coercions.bool(isNegated(call) ? Duck.prefix("NOT", both) : both);
    }

    private static boolean isNegated(SqlCall call) {
        return call.getOperator().getName().startsWith("NOT");
    }

    private Typed in(SqlCall call) {
        SqlNode left = call.operand(0);
        SqlNode right = call.operand(1);
        SqlNode in;
        if (!(right instanceof SqlNodeList list)) {
            in = Subqueries.in(left, right, this, queries, text, scope);
        } else if (left.getKind() == SqlKind.ROW) {
            List<Typed> row = row(left);
            List<SqlNode> equal = new ArrayList<>();
            list.forEach(item -> equal.add(Comparisons.rows("=", row, row(item))));
            in = Duck.chain("OR", equal);
        } else {
            in = Comparisons.in(translate(left), all(list.getList()));
        }
        return Coercions.bool(call.getKind() == SqlKind.NOT_IN ? Duck.prefix("NOT", in) : in);
    }

    private Typed quantified(SqlCall call) {
        SqlQuantifyOperator operator = (SqlQuantifyOperator) call.getOperator();
        String sign = operator.comparisonKind.sql;
        return Coercions.bool(Subqueries.quantified(
                sign, operator.kind == SqlKind.ALL, call.operand(0), call.operand(1), this, queries, text, scope));
    }

    private Typed exists(SqlCall call) {
        SqlNode query = queries.nested(call.operand(0), text, scope).node();
        return tested(Duck.around("EXISTS (", "", ")", query));
    }

    private Typed like(SqlCall call) {
        SqlNode value = Coercions.text(translate(call.operand(0))).node();
        SqlNode pattern = Coercions.text(translate(call.operand(1))).node();
        SqlNode escape = Duck.string("\\");
        if (call.operandCount() > 2) {
            @Nullable String given = translation.literalText(translate(call.operand(2)));
            if (given == null || given.length() > 1) {
                throw new StatementRefusedException(1210, "HY000", "Incorrect arguments to ESCAPE");
            }
            escape = Duck.string(given);
        }
        SqlNode like = Duck.around(
                "(", "", ")", Duck.around("", " ESCAPE ", "", Duck.around("", " LIKE ", "", value, pattern), escape));
        return Coercions.bool(isNegated(call) ? Duck.prefix("NOT", like) : like);
    }

    private Typed matches(SqlCall call) {
        SqlNode matches = Duck.call(
                "regexp_matches",
                Coercions.text(translate(call.operand(0))).node(),
                Coercions.text(translate(call.operand(1))).node());
        return Coercions.bool(isNegated(call) ? Duck.prefix("NOT", matches) : matches);
    }

    private Typed groupConcat(SqlCall call) {
        List<Typed> parts = new ArrayList<>();
        List<SqlNode> order = new ArrayList<>();
        String separator = ",";
        for (SqlNode operand : call.getOperandList()) {
            if (operand instanceof SqlNodeList keys) {
                keys.forEach(key -> order.add(ordered(key)));
            } else if (operand.getKind() == SqlKind.SEPARATOR) {
                String slot = ((SqlLiteral) ((SqlCall) operand).operand(0)).getValueAs(String.class);
                Object value =
                        translation.text().slots().get(Integer.parseInt(slot)).value();
                separator = value instanceof String string ? string : "";
            } else {
                parts.add(translate(operand));
            }
        }
        return AggregateFunctions.concatenated(parts, isDistinct(call), order, separator);
    }

    /** An ORDER BY key with MySQL's place for NULL: first where it rises, last where it falls. */
    SqlNode ordered(SqlNode key) {
        boolean descending = key.getKind() == SqlKind.DESCENDING;
        SqlNode operand = descending ? ((SqlCall) key).operand(0) : key;
        return ordered(translate(operand).node(), descending);
    }

    static SqlNode ordered(SqlNode key, boolean descending) {
        return Duck.around("", "", descending ? " DESC NULLS LAST" : " ASC NULLS FIRST", key);
    }

    /** Postfix operators, which were written as array accesses. */
    private Typed item(SqlCall call) {
        SqlCall mark = (SqlCall) call.operand(1);
        Typed x = translate(call.operand(0));
        switch (mark.getOperator().getName()) {
            case "#->":
                return JsonFunctions.extract(x, translate(mark.operand(0)));
            case "#->>":
                return JsonFunctions.extractText(x, translate(mark.operand(0)));
            case "#item":
                return NestedFunctions.element(x, translate(mark.operand(0)), translation);
            default:
                String collation =
                        name(((SqlIdentifier) mark.operand(0)).getSimple()).toLowerCase(Locale.ROOT);
                if (collation.endsWith("_bin") || collation.equals("binary")) {
                    return x;
                }
                if (collation.contains("_ci") || collation.contains("_ai")) {
                    return Typed.of(Duck.postfix(Coercions.text(x).node(), "COLLATE NOCASE"), SqlType.STRING);
                }
                throw new StatementRefusedException(1273, "HY000", "Unknown collation: '" + collation + "'");
        }
    }

    static boolean isDistinct(SqlCall call) {
        SqlLiteral quantifier = call.getFunctionQuantifier();
        return quantifier != null && quantifier.getValue() == SqlSelectKeyword.DISTINCT;
    }

    private Typed function(SqlCall call, @Nullable SqlNode window) {
        String written = name(call.getOperator().getName());
        String name = written.toLowerCase(Locale.ROOT);
        FunctionCall context = new FunctionCall(written, call.getOperandList(), isDistinct(call), this, window);
        if (name.equals("cast") || name.equals("convert")) {
            return Casts.cast(context);
        }
        if (name.equals("#values")) {
            return Inserted.column(context, scope);
        }
        Functions.@Nullable Function function = Functions.named(name);
        if (function == null) {
            throw new StatementRefusedException(1305, "42000", "FUNCTION " + written + " does not exist");
        }
        Typed result = function.translate(context);
        if (result.family() == Family.ROW) {
            throw new StatementRefusedException(1241, "21000", "Operand should contain 1 column(s)");
        }
        return result;
    }
}
