package org.keyline.stores.duckdb.rewrite;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.digest.ReservedWords;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;
import org.keyline.stores.duckdb.translate.Conversion;
import org.keyline.stores.duckdb.translate.Parameter;
import org.keyline.stores.duckdb.translate.SqlType;
import org.keyline.stores.duckdb.translate.Tokens;

/**
 * Reads the expressions of one clause with MySQL's precedence, and writes them for DuckDB. Confined
 * to the rewriting of one statement.
 */
final class Expressions {
    /** Which aliases of the SELECT list an expression may use. */
    enum Aliases {
        NONE,
        /** An alias is used only if no column has its name. */
        AFTER_COLUMNS,
        ALL
    }

    /** Infix operators in ascending precedence. */
    private static final List<Set<String>> INFIX = List.of(
            Set.of("|"),
            Set.of("&"),
            Set.of("<<", ">>"),
            Set.of("+", "-"),
            Set.of("*", "/", "%", "DIV", "MOD"),
            Set.of("^"),
            Set.of("||"));

    private static final int SUMS = 3;

    private static final Set<String> COMPARISONS = Set.of("=", "<", ">", "<=", ">=", "<>", "!=", "<=>");

    /** The operators that may follow NOT. */
    private static final Set<String> NEGATED = Set.of("IN", "BETWEEN", "LIKE", "REGEXP", "RLIKE");

    /** Functions that may be called without parentheses. */
    private static final Set<String> BARE_CALLS =
            Set.of("CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP LOCALTIME LOCALTIMESTAMP"
                    .concat(" UTC_DATE UTC_TIME UTC_TIMESTAMP CURRENT_USER")
                    .split(" ", -1));

    private final Queries queries;
    private final Rewriting rewriting;
    private final Tokens tokens;
    private final NameScope scope;
    private final String clause;
    private final Aliases aliases;

    Expressions(Queries queries, NameScope scope, String clause, Aliases aliases) {
        this.queries = queries;
        this.rewriting = queries.rewriting();
        this.tokens = queries.tokens();
        this.scope = scope;
        this.clause = clause;
        this.aliases = aliases;
    }

    Rewriting rewriting() {
        return rewriting;
    }

    Tokens tokens() {
        return tokens;
    }

    NameScope scope() {
        return scope;
    }

    /**
     * Returns whether a division by zero is an error in this clause. In conditions it gives NULL,
     * because DuckDB may evaluate a condition for rows that another condition excludes.
     */
    boolean zeroDivisionFails() {
        return rewriting.zeroDivisionFails() && clause.equals("field list");
    }

    Sql truth() {
        return Coercions.truth(expression());
    }

    List<Typed> list() {
        List<Typed> all = new ArrayList<>();
        do {
            all.add(expression());
        } while (tokens.takeSymbol(","));
        return all;
    }

    Typed expression() {
        rewriting.step();
        return connected(0);
    }

    /** Reads operands of OR (level 0), XOR (level 1) or AND (level 2). */
    private Typed connected(int level) {
        if (level == 3) {
            return negation();
        }
        Typed first = connected(level + 1);
        if (!isConnective(level)) {
            return first;
        }
        List<Sql> operands = new ArrayList<>(List.of(Coercions.truth(first)));
        while (isConnective(level)) {
            tokens.next();
            operands.add(Coercions.truth(connected(level + 1)));
        }
        return Typed.bool(level == 1 ? exclusive(operands) : Sql.chain(level == 0 ? "OR" : "AND", operands));
    }

    private static Sql exclusive(List<Sql> operands) {
        Sql result = operands.get(0);
        for (Sql operand : operands.subList(1, operands.size())) {
            result = Sql.infix(result, "<>", operand);
        }
        return result;
    }

    private boolean isConnective(int level) {
        return switch (level) {
            case 0 ->
                tokens.is("OR")
                        || (tokens.isSymbol("||") && !tokens.text().mode().pipesAsConcat());
            case 1 -> tokens.is("XOR");
            default -> tokens.is("AND") || tokens.isSymbol("&&");
        };
    }

    private Typed negation() {
        return tokens.take("NOT") ? Typed.bool(Sql.of("(NOT {})", Coercions.truth(negation()))) : compared();
    }

    private Typed compared() {
        Typed left = predicate();
        while (true) {
            if (tokens.take("IS")) {
                left = tested(left);
                continue;
            }
            String operator = tokens.token().text();
            if (tokens.token().type() != TokenType.OPERATOR || !COMPARISONS.contains(operator)) {
                return left;
            }
            tokens.next();
            operator = operator.equals("!=") ? "<>" : operator;
            if (tokens.isAny("ANY", "SOME", "ALL") && tokens.isSymbol(1, "(")) {
                throw StatementRefusedException.unsupported(tokens.token().text() + " (subquery)");
            }
            if (operator.equals("<=>")) {
                left = Typed.of(Comparisons.compare("IS NOT DISTINCT FROM", left, predicate()), SqlType.BOOLEAN, false);
            } else {
                left = Typed.bool(Comparisons.compare(operator, left, predicate()));
            }
        }
    }

    private Typed tested(Typed x) {
        String not = tokens.take("NOT") ? " IS NOT " : " IS ";
        Token what = tokens.next();
        if (what.is("NULL")) {
            return Typed.of(Sql.of("({}" + not + "NULL)", x.sql()), SqlType.BOOLEAN, false);
        }
        if (!what.is("TRUE") && !what.is("FALSE") && !what.is("UNKNOWN")) {
            tokens.go(tokens.index() - 1);
            throw tokens.error("NULL, TRUE, FALSE or UNKNOWN");
        }
        String word = what.is("UNKNOWN") ? "NULL" : what.text();
        return Typed.of(Sql.of("({}" + not + word + ")", Coercions.truth(x)), SqlType.BOOLEAN, false);
    }

    private Typed predicate() {
        Typed x = infix(0);
        for (Typed test = test(x); test != null; test = test(x)) {
            x = test;
        }
        return x;
    }

    /** Reads IN, BETWEEN, LIKE or REGEXP after an operand; returns null if none of them follows. */
    private @Nullable Typed test(Typed x) {
        boolean not =
                tokens.is("NOT") && NEGATED.contains(tokens.token(1).text().toUpperCase(Locale.ROOT));
        tokens.go(tokens.index() + (not ? 1 : 0));
        @Nullable Sql test = null;
        if (tokens.take("IN")) {
            test = in(x);
        } else if (tokens.take("BETWEEN")) {
            Typed from = infix(0);
            tokens.expect("AND");
            test = Comparisons.between(x, from, predicate());
        } else if (tokens.take("LIKE")) {
            test = like(x);
        } else if (tokens.take("REGEXP") || tokens.take("RLIKE")) {
            test = Sql.call(
                    "regexp_matches",
                    Coercions.characters(x, "REGEXP").sql(),
                    Coercions.characters(infix(0), "REGEXP").sql());
        }
        return test == null ? null : Typed.bool(not ? Sql.of("(NOT {})", test) : test);
    }

    private Sql in(Typed x) {
        if (isQuery()) {
            return Comparisons.in(x, nested(), rewriting);
        }
        tokens.expectSymbol("(");
        List<Typed> items = list();
        tokens.expectSymbol(")");
        return Comparisons.in(x, items);
    }

    private Sql like(Typed x) {
        Sql pattern = Coercions.characters(infix(0), "LIKE").sql();
        String escape = "\\";
        if (tokens.take("ESCAPE")) {
            @Nullable String given = rewriting.literalText(primary());
            if (given == null || given.length() > 1) {
                throw new StatementRefusedException(1210, "HY000", "Incorrect arguments to ESCAPE");
            }
            escape = given;
        }
        return Sql.of("({} LIKE {} ESCAPE {})", Coercions.characters(x, "LIKE").sql(), pattern, Sql.string(escape));
    }

    private Typed infix(int level) {
        if (level == INFIX.size()) {
            return unary();
        }
        Typed left;
        if (level == SUMS && isInterval()) {
            Intervals.Interval interval = interval();
            tokens.expectSymbol("+");
            left = Intervals.shifted(rewriting, infix(level + 1), interval, true);
        } else {
            left = infix(level + 1);
        }
        for (String operator = operator(level); operator != null; operator = operator(level)) {
            tokens.next();
            if (level == SUMS && isInterval()) {
                left = Intervals.shifted(rewriting, left, interval(), operator.equals("+"));
            } else {
                Typed right = infix(level + 1);
                left = operator.equals("||")
                        ? Functions.call(new FunctionCall("concat", List.of(left, right), this))
                        : Operators.infix(operator, left, right, zeroDivisionFails());
            }
        }
        return left;
    }

    private @Nullable String operator(int level) {
        Token token = tokens.token();
        if (token.type() != TokenType.OPERATOR && token.type() != TokenType.WORD) {
            return null;
        }
        String operator = token.text().toUpperCase(Locale.ROOT);
        boolean concatenates = !operator.equals("||") || tokens.text().mode().pipesAsConcat();
        return INFIX.get(level).contains(operator) && concatenates ? operator : null;
    }

    /** Returns whether an interval follows, rather than a call of the function INTERVAL. */
    private boolean isInterval() {
        if (!tokens.is("INTERVAL")) {
            return false;
        }
        int open = tokens.index() + 1;
        return !tokens.isSymbol(1, "(") || Intervals.isUnit(tokens.at(tokens.behind(open)));
    }

    Intervals.Interval interval() {
        tokens.expect("INTERVAL");
        Typed count = expression();
        if (!Intervals.isUnit(tokens.token())) {
            throw tokens.error("the unit of an interval");
        }
        return new Intervals.Interval(tokens.next().text().toUpperCase(Locale.ROOT), count);
    }

    /** Reads an interval, or a number of days. */
    Intervals.Interval intervalOrDays() {
        return isInterval() ? interval() : new Intervals.Interval("DAY", expression());
    }

    /** Reads an expression that ends before a comparison, IN, LIKE or BETWEEN. */
    Typed operand() {
        return infix(0);
    }

    private Typed unary() {
        if (tokens.takeSymbol("-")) {
            return Operators.negative(unary());
        }
        if (tokens.takeSymbol("+")) {
            return unary();
        }
        if (tokens.takeSymbol("~")) {
            return Operators.inverted(unary());
        }
        if (tokens.takeSymbol("!")) {
            return Typed.bool(Sql.of("(NOT {})", Coercions.truth(unary())));
        }
        if (tokens.is("BINARY") && tokens.token(1).type() != TokenType.END) {
            tokens.next();
            return unary();
        }
        return postfix(primary());
    }

    private Typed postfix(Typed operand) {
        Typed x = operand;
        while (true) {
            if (tokens.take("COLLATE")) {
                x = collated(x, tokens.name("a collation").toLowerCase(Locale.ROOT));
            } else if (tokens.isSymbol("->") || tokens.isSymbol("->>")) {
                TokenType path = tokens.token(1).type();
                if (path != TokenType.STRING && path != TokenType.PLACEHOLDER) {
                    tokens.next();
                    throw tokens.error("a JSON path");
                }
                boolean text = tokens.next().isSymbol("->>");
                x = Functions.call(
                        new FunctionCall(text ? "json_extract_string" : "json_extract", List.of(x, primary()), this));
            } else {
                return x;
            }
        }
    }

    private static Typed collated(Typed x, String collation) {
        if (collation.endsWith("_bin") || collation.equals("binary")) {
            return x;
        }
        if (Comparisons.isOfSystem(x) && collation.contains("_ci")) {
            return Typed.of(Sql.of("({} COLLATE NOCASE)", Coercions.text(x).sql()), SqlType.STRING);
        }
        throw StatementRefusedException.unsupported("the collation " + collation);
    }

    private Typed primary() {
        Token token = tokens.token();
        switch (token.type()) {
            case STRING, INTEGER, DECIMAL, FLOAT, HEX, BIT, PLACEHOLDER:
                tokens.next();
                return rewriting.value(Parameter.slot(tokens.text().slotAt(token.start()), Conversion.NONE));
            case INTRODUCER:
                // StatementText has already applied the introducer to the value.
                tokens.next();
                return primary();
            case USER_VARIABLE, SYSTEM_VARIABLE:
                return variable();
            case LEFT_PARENTHESIS:
                return group();
            case QUOTED:
                return column();
            case WORD:
                return word(token);
            default:
                throw tokens.error("an expression");
        }
    }

    private Typed variable() {
        Token token = tokens.next();
        String name =
                token.text().replace("`", "").replace("'", "").replace("\"", "").toLowerCase(Locale.ROOT);
        if (token.type() == TokenType.USER_VARIABLE) {
            return rewriting.value(Parameter.of(Parameter.Source.USER_VARIABLE, name.substring(1)));
        }
        String variable = name.substring(2);
        boolean global = variable.startsWith("global.");
        boolean scoped = global || variable.startsWith("session.") || variable.startsWith("local.");
        return rewriting.value(Parameter.of(
                global ? Parameter.Source.GLOBAL_VARIABLE : Parameter.Source.SESSION_VARIABLE,
                variable.substring(scoped ? variable.indexOf('.') + 1 : 0)));
    }

    /** Reads a query, a row or an expression in parentheses. */
    private Typed group() {
        if (isQuery()) {
            Queries.Result result = nested();
            if (result.columns().size() != 1) {
                throw Rewriting.operands(1);
            }
            return Typed.of(
                    Sql.of("({})", result.sql()), result.columns().get(0).type());
        }
        tokens.expectSymbol("(");
        List<Typed> items = list();
        tokens.expectSymbol(")");
        return items.size() == 1 ? items.get(0) : Typed.rowOf(items);
    }

    private boolean isQuery() {
        return queries.isQuery(tokens.index());
    }

    private Queries.Result nested() {
        return queries.parenthesised(scope);
    }

    private Typed word(Token token) {
        String word = token.text().toUpperCase(Locale.ROOT);
        boolean call = tokens.isSymbol(1, "(");
        switch (word) {
            case "NULL":
                tokens.next();
                return Typed.of(Sql.raw("NULL"), SqlType.NULL);
            case "TRUE", "FALSE":
                tokens.next();
                return Typed.of(Sql.raw(word), SqlType.BOOLEAN, false);
            case "CASE":
                tokens.next();
                return cased();
            case "EXISTS":
                tokens.next();
                return Typed.of(Sql.of("EXISTS ({})", nested().sql()), SqlType.BOOLEAN, false);
            case "ROW":
                if (call) {
                    tokens.next();
                    return group();
                }
                break;
            case "DATE", "TIME", "TIMESTAMP", "DATEV1", "DATEV2":
                if (tokens.token(1).type() == TokenType.STRING) {
                    tokens.next();
                    String name = word.startsWith("DATE") ? "date" : word.toLowerCase(Locale.ROOT);
                    return Functions.call(new FunctionCall(name, List.of(primary()), this));
                }
                break;
            default:
                if (BARE_CALLS.contains(word) && !call) {
                    tokens.next();
                    return Functions.call(new FunctionCall(token.text(), List.of(), this));
                }
        }
        if (call) {
            tokens.next();
            return new FunctionReader(this).read(token.text());
        }
        if (ReservedWords.contains(word)) {
            throw tokens.error("an expression");
        }
        return column();
    }

    private Typed cased() {
        @Nullable Typed subject = tokens.is("WHEN") ? null : expression();
        List<Sql> conditions = new ArrayList<>();
        List<Typed> values = new ArrayList<>();
        tokens.expect("WHEN");
        do {
            Typed when = expression();
            conditions.add(subject == null ? Coercions.truth(when) : Comparisons.compare("=", subject, when));
            tokens.expect("THEN");
            values.add(expression());
        } while (tokens.take("WHEN"));
        values.add(tokens.take("ELSE") ? expression() : Typed.of(Sql.raw("NULL"), SqlType.NULL));
        tokens.expect("END");
        return Coercions.merged(values, values.stream().anyMatch(Typed::nullable), results -> {
            List<Sql> branches = new ArrayList<>();
            for (int i = 0; i < conditions.size(); i++) {
                branches.add(Sql.of("WHEN {} THEN {}", conditions.get(i), results.get(i)));
            }
            branches.add(Sql.of("ELSE {}", results.get(results.size() - 1)));
            return Sql.of("CASE {} END", Sql.joined(" ", branches));
        });
    }

    private Typed column() {
        List<String> parts = tokens.path("a column name");
        if (tokens.isSymbol("(")) {
            throw new StatementRefusedException(
                    1305, "42000", "FUNCTION " + String.join(".", parts) + " does not exist");
        }
        if (aliases != Aliases.NONE && parts.size() == 1) {
            @Nullable Typed alias = scope.alias(parts.get(0));
            if (alias != null && (aliases == Aliases.ALL || scope.own(parts, clause) == null)) {
                return alias;
            }
        }
        return scope.column(parts, clause);
    }

    /** Reads the keys after ORDER BY. */
    Sql orderKeys() {
        List<Sql> keys = new ArrayList<>();
        do {
            keys.add(ordered(expression().sql()));
        } while (tokens.takeSymbol(","));
        return Sql.list(keys);
    }

    /** Reads ASC or DESC. As in MySQL, NULL is first in ascending order and last in descending. */
    Sql ordered(Sql key) {
        boolean descending = tokens.take("DESC");
        if (!descending) {
            tokens.take("ASC");
        }
        return ordered(key, descending);
    }

    static Sql ordered(Sql key, boolean descending) {
        return Sql.of("{}" + (descending ? " DESC NULLS LAST" : " ASC NULLS FIRST"), key);
    }
}
