package org.keyline.stores.duckdb.translate;

import java.util.List;
import java.util.Locale;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;

/** Writes one word, with what belongs to it, for {@link ParserTextWriter}. */
final class WordWriter {

    private static final Token END = new Token(TokenType.END, "", 0, 0);

    private final ParserTextWriter out;
    private final StatementText text;
    private final List<Token> tokens;
    private final int i;
    private final int to;
    private final String word;

    WordWriter(ParserTextWriter out, StatementText text, int i, int to) {
        this.out = out;
        this.text = text;
        this.tokens = text.tokens();
        this.i = i;
        this.to = to;
        this.word = Keywords.upper(tokens.get(i).text());
    }

    private Token at(int index) {
        return index >= 0 && index < to ? tokens.get(index) : END;
    }

    private boolean opens(int index) {
        return at(index).type() == TokenType.LEFT_PARENTHESIS;
    }

    private boolean afterOperand() {
        return i > 0 && (SelectItem.endsOperand(tokens.get(i - 1)) || out.isUnit(i - 1));
    }

    /** Writes the word and answers the index of the next token. */
    int write() {
        Frame frame = out.top();
        boolean inList = frame.item >= 0;
        if (out.isUnit(i)) {
            out.append(", `#" + word + "`)");
            return i + 1;
        }
        if (frame.item >= 0 && Keywords.AFTER_SELECT_LIST.contains(word) && frame.kind != Frame.Kind.SUBSTRING) {
            if (!(word.equals("LEFT") || word.equals("RIGHT"))) {
                out.endItem(i);
            }
        }
        if (inList && word.equals("WHERE")) {
            // SELECT 1 WHERE …
            out.append(" FROM `#dual` ");
        }
        int special = inCall(frame);
        if (special >= 0) {
            return special;
        }
        special = operatorWord();
        if (special >= 0) {
            return special;
        }
        special = clause(frame);
        if (special >= 0) {
            return special;
        }
        special = operand(frame);
        if (special >= 0) {
            return special;
        }
        if (isCall()) {
            return call();
        }
        if (Keywords.KEPT.contains(word)) {
            out.append(" " + word + " ");
            return i + 1;
        }
        return out.writeIdentifier(i);
    }

    private boolean isCall() {
        return opens(i + 1)
                && !(Keywords.KEPT.contains(word) && !word.equals("LEFT") && !word.equals("RIGHT"))
                && !Keywords.BEFORE_OPERAND.contains(word);
    }

    private int call() {
        Frame.Kind kind = Keywords.CALLS.getOrDefault(word, Frame.Kind.CALL);
        if (kind == Frame.Kind.GROUP_CONCAT) {
            out.append(" GROUP_CONCAT");
        } else {
            out.name(tokens.get(i).text());
        }
        out.pushCall(kind, i + 1);
        return i + 2;
    }

    /** Words with a meaning of their own directly inside a call. */
    private int inCall(Frame frame) {
        switch (frame.kind) {
            case CAST:
                return word.equals("AS") ? typeText() : -1;
            case CONVERT, CHARACTERS:
                if ((word.equals("SIGNED") || word.equals("UNSIGNED"))
                        && at(i + 1).is("INTEGER")) {
                    out.name(word);
                    return i + 2;
                }
                return word.equals("USING") ? typeText() : -1;
            case EXTRACT:
                if (Keywords.UNITS.contains(word) && opens(i - 1)) {
                    out.append("`#" + word + "`");
                    return i + 1;
                }
                return word.equals("FROM") ? comma() : -1;
            case TRIM:
                if (word.equals("LEADING") || word.equals("TRAILING") || word.equals("BOTH")) {
                    out.append("`#" + word + "`" + (at(i + 1).is("FROM") ? "" : ","));
                    return i + 1;
                }
                return word.equals("FROM") ? comma() : -1;
            case SUBSTRING:
                return word.equals("FROM") || word.equals("FOR") ? comma() : -1;
            case POSITION:
                return word.equals("IN") ? comma() : -1;
            case GROUP_CONCAT:
                return word.equals("SEPARATOR") ? separator() : -1;
            case OVER:
                if (Keywords.WINDOW_WORDS.contains(word)
                        && !(word.equals("PARTITION") && !at(i + 1).is("BY"))) {
                    out.append(" " + word + " ");
                    return i + 1;
                }
                return -1;
            default:
                return -1;
        }
    }

    private int comma() {
        out.append(",");
        return i + 1;
    }

    /** The type of a CAST, or the character set of USING, as one name. */
    private int typeText() {
        int depth = 0;
        int end = i + 1;
        while (end < to && !(depth == 0 && at(end).type() == TokenType.RIGHT_PARENTHESIS)) {
            depth += opens(end) ? 1 : at(end).type() == TokenType.RIGHT_PARENTHESIS ? -1 : 0;
            out.pin(end);
            end++;
        }
        if (end == i + 1) {
            throw text.error(end, "a type");
        }
        out.append(",");
        String type = text.text(at(i + 1).start(), at(end - 1).end());
        out.name(word.equals("USING") ? "using " + type : type);
        return end;
    }

    private int separator() {
        if (at(i + 1).type() != TokenType.STRING) {
            throw text.error(i + 1, "a string");
        }
        out.pin(i + 1);
        int offset = at(i + 1).start();
        int slot = 0;
        while (text.slots().get(slot).start() != offset) {
            slot++;
        }
        out.append(" SEPARATOR '" + slot + "'");
        return i + 2;
    }

    /** Words that are operators. */
    private int operatorWord() {
        switch (word) {
            case "DIV":
                if (!afterOperand()) {
                    return -1;
                }
                out.append(" / `#DIV` / ");
                return i + 1;
            case "MOD":
                if (!afterOperand()) {
                    return -1;
                }
                out.append(" % ");
                return i + 1;
            case "XOR":
                out.append(" OR `#XOR` OR ");
                return i + 1;
            case "REGEXP", "RLIKE":
                out.append(" RLIKE ");
                return i + 1;
            case "COLLATE":
                if (!at(i + 1).type().isName()) {
                    throw text.error(i + 1, "a collation");
                }
                out.append("[`#collate`(");
                out.name(at(i + 1).name());
                out.append(")]");
                return i + 2;
            case "BINARY":
                return opens(i + 1) || at(i + 1).type() != TokenType.END ? i + 1 : -1;
            case "SOUNDS", "MEMBER":
                if (afterOperand() && (at(i + 1).is("LIKE") || at(i + 1).is("OF"))) {
                    throw StatementRefusedException.unsupported(
                            word + " " + Keywords.upper(at(i + 1).text()));
                }
                return -1;
            case "UNKNOWN":
                if (at(i - 1).is("IS") || at(i - 2).is("IS")) {
                    out.append(" UNKNOWN ");
                    return i + 1;
                }
                return -1;
            case "ESCAPE":
                if (afterOperand()
                        && (at(i + 1).type() == TokenType.STRING || at(i + 1).type() == TokenType.PLACEHOLDER)) {
                    out.append(" ESCAPE ");
                    return i + 1;
                }
                return -1;
            case "ANY", "SOME":
                if (opens(i + 1) && at(i - 1).type() == TokenType.OPERATOR) {
                    out.append(" SOME ");
                    return i + 1;
                }
                return -1;
            default:
                return -1;
        }
    }

    /** Words that begin or belong to a clause. */
    private int clause(Frame frame) {
        switch (word) {
            case "SELECT":
                return select(frame);
            case "LIMIT":
                frame.limit = true;
                return -1;
            case "OFFSET":
                if (frame.limit && afterOperand()) {
                    out.append(" OFFSET ");
                    return i + 1;
                }
                return -1;
            case "FROM":
                if (at(i + 1).is("DUAL")) {
                    out.append(" FROM `#dual` ");
                    return i + 2;
                }
                return -1;
            case "STRAIGHT_JOIN":
                out.append(" JOIN ");
                return i + 1;
            case "USE", "FORCE", "IGNORE":
                return indexHint();
            case "PARTITION", "PARTITIONS":
                return opens(i + 1) && at(i - 1).type().isName() ? partitions() : -1;
            case "FOR", "LOCK":
                return lockingClause();
            case "INTO":
                throw StatementRefusedException.unsupported("SELECT … INTO");
            case "GROUP":
                return group(frame);
            case "WITH":
                if (at(i + 1).is("ROLLUP")) {
                    if (!frame.rollup) {
                        throw text.error(i, "GROUP BY before WITH ROLLUP");
                    }
                    frame.rollup = false;
                    out.append(")");
                    return i + 2;
                }
                return -1;
            case "WINDOW":
                frame.window = true;
                return -1;
            case "OVER":
                out.append(" OVER ");
                if (opens(i + 1)) {
                    out.pushCall(Frame.Kind.OVER, i + 1);
                    return i + 2;
                }
                return i + 1;
            case "AS":
                if (frame.window && opens(i + 1)) {
                    out.append(" AS ");
                    out.pushCall(Frame.Kind.OVER, i + 1);
                    return i + 2;
                }
                return -1;
            default:
                return -1;
        }
    }

    /** {@code t PARTITION (p1, p2)}, written as a hint of the table. */
    private int partitions() {
        out.append(" /*+ `" + ParserText.PARTITIONS + "`(");
        int j = i + 2;
        while (at(j).type().isName()) {
            out.name(at(j).name());
            j++;
            if (at(j).type() != TokenType.COMMA) {
                break;
            }
            out.append(",");
            j++;
        }
        if (at(j).type() != TokenType.RIGHT_PARENTHESIS || j == i + 2) {
            throw text.error(j, "the names of partitions in parentheses");
        }
        out.append(") */ ");
        return j + 1;
    }

    private int select(Frame frame) {
        out.append(" SELECT ");
        frame.limit = false;
        int next = i + 1;
        while (at(next).type() == TokenType.WORD || at(next).type() == TokenType.HINT) {
            String modifier = Keywords.upper(at(next).text());
            if (modifier.equals("SQL_CALC_FOUND_ROWS")) {
                throw StatementRefusedException.unsupported("SQL_CALC_FOUND_ROWS");
            }
            if (modifier.equals("DISTINCT") || modifier.equals("DISTINCTROW")) {
                out.append("DISTINCT ");
            } else if (at(next).type() != TokenType.HINT
                    && !Keywords.SELECT_MODIFIERS.contains(modifier)
                    && !modifier.equals("ALL")) {
                break;
            }
            next++;
        }
        frame.item = next;
        return next;
    }

    private int group(Frame frame) {
        if (!at(i + 1).is("BY")) {
            return -1;
        }
        if ((at(i + 2).is("ROLLUP") || at(i + 2).is("CUBE")) && opens(i + 3)) {
            throw StatementRefusedException.unsupported(
                    "GROUP BY " + Keywords.upper(at(i + 2).text()) + " (…)");
        }
        out.append(" GROUP BY ");
        int depth = 0;
        for (int j = i + 2; j < to && depth >= 0; j++) {
            depth += opens(j) ? 1 : at(j).type() == TokenType.RIGHT_PARENTHESIS ? -1 : 0;
            if (depth == 0 && (at(j).is("HAVING") || at(j).is("ORDER") || at(j).is("LIMIT") || at(j).is("UNION"))) {
                break;
            }
            if (depth == 0 && at(j).is("WITH") && at(j + 1).is("ROLLUP")) {
                frame.rollup = true;
                out.append("ROLLUP(");
                break;
            }
        }
        return i + 2;
    }

    /** USE INDEX (a, b) and its like: how the store finds rows is its own affair. */
    private int indexHint() {
        if (!at(i + 1).is("INDEX") && !at(i + 1).is("KEY")) {
            return -1;
        }
        int j = i + 2;
        while (j < to && !opens(j)) {
            j++;
        }
        while (j < to && at(j).type() != TokenType.RIGHT_PARENTHESIS) {
            j++;
        }
        if (j >= to) {
            throw text.error(to, "the names of indexes in parentheses");
        }
        return at(j + 1).type() == TokenType.COMMA && at(j + 2).is("USE") ? j + 2 : j + 1;
    }

    /** FOR UPDATE, FOR SHARE, LOCK IN SHARE MODE, with NOWAIT or SKIP LOCKED: rows of this store can't be locked. */
    private int lockingClause() {
        boolean locks = word.equals("LOCK")
                ? at(i + 1).is("IN")
                : at(i + 1).is("UPDATE") || at(i + 1).is("SHARE");
        if (locks) {
            throw StatementRefusedException.unsupported(
                    word.equals("LOCK")
                            ? "LOCK IN SHARE MODE"
                            : "FOR " + at(i + 1).text().toUpperCase(Locale.ROOT));
        }
        return -1;
    }

    /** Words that begin an operand. */
    private int operand(Frame frame) {
        Token next = at(i + 1);
        switch (word) {
            case "CASE":
                frame.caseDepth++;
                out.append(" CASE ");
                return i + 1;
            case "END":
                if (frame.caseDepth > 0) {
                    frame.caseDepth--;
                    out.append(" END ");
                    return i + 1;
                }
                return -1;
            case "INTERVAL":
                return interval();
            case "DATE", "TIME", "TIMESTAMP", "DATEV1", "DATEV2":
                if (next.type() == TokenType.STRING && !afterOperand()) {
                    out.append(" `#" + (word.startsWith("DATEV") ? "DATE" : word) + "`(");
                    out.writeValue(i + 1);
                    out.append(")");
                    return i + 2;
                }
                return -1;
            case "DEFAULT":
                out.append(opens(i + 1) ? " `#default`" : " `#default`()");
                return i + 1;
            case "ROW":
                return opens(i + 1) ? i + 1 : -1;
            case "VALUES":
                if (opens(i + 1) && at(i + 2).type().isName() && frame.kind != Frame.Kind.OVER && i > 0) {
                    out.append(" `#values`");
                    return i + 1;
                }
                return -1;
            default:
                if (Keywords.BARE_CALLS.contains(word) && !opens(i + 1)) {
                    out.name(tokens.get(i).text());
                    out.append("()");
                    return i + 1;
                }
                return -1;
        }
    }

    private int interval() {
        int depth = 0;
        for (int j = i + 1; j < to && depth >= 0; j++) {
            Token token = at(j);
            if (depth == 0 && token.type() == TokenType.COMMA) {
                break;
            }
            boolean unit = token.type() == TokenType.WORD
                    && Keywords.UNITS.contains(Keywords.upper(token.text()))
                    && j > i + 1
                    && !opens(j + 1);
            if (depth == 0 && unit) {
                out.unitAt(j);
                out.append(" `#interval`(");
                return i + 1;
            }
            depth += token.type() == TokenType.LEFT_PARENTHESIS
                    ? 1
                    : token.type() == TokenType.RIGHT_PARENTHESIS ? -1 : 0;
        }
        if (opens(i + 1)) {
            return call();
        }
        throw text.error(i, "an interval with its unit");
    }
}
