package org.keyline.stores.duckdb.translate;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;

/** Writes tokens of MySQL as text that Calcite's parser reads. Used once. */
public final class ParserTextWriter {

    /*
     * Calcite reads standard SQL, so what only MySQL has is written as something that the standard has too and the tree can
     * tell apart:
     *   infix operators   a DIV b    a / `#DIV` / b       the same precedence, taken apart again in the tree
     *   prefix operators  !a  ~a     + + a   + - a        a plus sign alone means nothing and is never written
     *   postfix           a COLLATE c    a[`#collate`, …] an array access binds tightest
     *   grammars of calls CAST(a AS t)   `cast`(a, `#n1`) a name holds the text of the type
     * Values are question marks, so that no escape and no character set reaches the parser.
     */

    private static final int MAX_DEPTH = 120;

    private final StatementText text;
    private final List<Token> tokens;
    private final Map<Integer, Integer> slotByOffset = new HashMap<>();
    private final StringBuilder out = new StringBuilder();
    private final List<Parameter> values = new ArrayList<>();
    private final List<String> names = new ArrayList<>();
    private final List<int[]> offsets = new ArrayList<>();
    private final Set<Integer> pinned = new HashSet<>();
    private final Set<Integer> unitTokens = new HashSet<>();
    private final Deque<Frame> frames = new ArrayDeque<>();
    private final boolean keepGroups;

    /** @param text the statement of which parts will be written */
    public ParserTextWriter(StatementText text) {
        this.text = text;
        this.tokens = text.tokens();
        for (int i = 0; i < text.slots().size(); i++) {
            slotByOffset.put(text.slots().get(i).start(), i);
        }
        this.keepGroups = tokens.stream().anyMatch(token -> token.is("XOR"));
        frames.push(new Frame(Frame.Kind.GROUP));
    }

    /** What was written. */
    public ParserText written() {
        return new ParserText(out.toString(), values, names, offsets, pinned);
    }

    /** Words of Calcite's own. */
    public ParserTextWriter raw(String words) {
        out.append(words);
        return this;
    }

    /** A name, quoted. */
    public ParserTextWriter name(String name) {
        out.append(" `").append(encoded(name)).append('`');
        return this;
    }

    /** The tokens from {@code from} to before {@code to}, which are balanced in parentheses. */
    public ParserTextWriter tokens(int from, int to) {
        int depth = frames.size();
        int i = from;
        while (i < to) {
            offsets.add(new int[] {out.length(), i});
            i = token(i, to);
        }
        closeItem(to);
        if (frames.size() != depth) {
            throw text.error(to, "')'");
        }
        return this;
    }

    private Frame frame() {
        return frames.getFirst();
    }

    private String encoded(String name) {
        boolean plain = !name.isEmpty()
                && name.chars().allMatch(c -> c < 128 && (Character.isLetterOrDigit(c) || c == '_' || c == '$'));
        if (plain) {
            return name;
        }
        names.add(name);
        return "#n" + (names.size() - 1);
    }

    private Token at(int index) {
        return index >= 0 && index < tokens.size() ? tokens.get(index) : new Token(TokenType.END, "", 0, 0);
    }

    /** Writes the token, and what belongs to it, and answers the index of the next. */
    private int token(int i, int to) {
        Token token = tokens.get(i);
        Frame frame = frame();
        switch (token.type()) {
            case WORD:
                return at(i - 1).type() == TokenType.DOT ? identifier(i) : word(i, to);
            case QUOTED:
                return identifier(i);
            case STRING:
                return frame.item >= 0 && SelectItem.isAlias(tokens, i, frame.item) ? stringAlias(i) : value(i);
            case INTEGER, DECIMAL, FLOAT, HEX, BIT, PLACEHOLDER:
                return value(i);
            case INTRODUCER, HINT:
                return i + 1;
            case USER_VARIABLE, SYSTEM_VARIABLE:
                return variable(i);
            case OPERATOR:
                return operator(i);
            case DOT:
                out.append('.');
                return i + 1;
            case COMMA:
                return comma(i);
            case LEFT_PARENTHESIS:
                return open(i, keepGroups && groups(i) ? Frame.Kind.KEPT_GROUP : Frame.Kind.GROUP);
            case RIGHT_PARENTHESIS:
                return close(i);
            default:
                throw text.error(i, "an expression or a clause");
        }
    }

    private int identifier(int i) {
        out.append(at(i - 1).type() == TokenType.DOT ? "`" : " `");
        out.append(encoded(tokens.get(i).name())).append('`');
        return i + 1;
    }

    private int stringAlias(int i) {
        ValueSlot slot = text.slots().get(slot(i));
        pinned.add(slot(i));
        name(slot.value() instanceof String alias ? alias : "");
        return i + 1;
    }

    private int slot(int i) {
        @Nullable Integer slot = slotByOffset.get(tokens.get(i).start());
        if (slot == null) {
            throw new IllegalStateException("no slot at token " + i);
        }
        return slot;
    }

    private int value(int i) {
        out.append(" ?");
        values.add(Parameter.slot(slot(i), Conversion.NONE));
        return i + 1;
    }

    private int variable(int i) {
        Token token = tokens.get(i);
        if (at(i + 1).isSymbol(":=")) {
            throw StatementRefusedException.unsupported("assignments to user variables in a statement");
        }
        String name =
                token.text().replace("`", "").replace("'", "").replace("\"", "").toLowerCase(Locale.ROOT);
        if (token.type() == TokenType.USER_VARIABLE) {
            values.add(Parameter.of(Parameter.Source.USER_VARIABLE, name.substring(1)));
        } else {
            String variable = name.substring(2);
            boolean global = variable.startsWith("global.");
            int scope =
                    variable.startsWith("global.") || variable.startsWith("session.") || variable.startsWith("local.")
                            ? variable.indexOf('.') + 1
                            : 0;
            Parameter.Source source = global ? Parameter.Source.GLOBAL_VARIABLE : Parameter.Source.SESSION_VARIABLE;
            values.add(Parameter.of(source, variable.substring(scope)));
        }
        out.append(" ?");
        return i + 1;
    }

    private int operator(int i) {
        String symbol = tokens.get(i).text();
        boolean infix = (i > 0 && SelectItem.endsOperand(tokens.get(i - 1))) || isUnitToken(i - 1);
        if (infix) {
            refuseMixture(symbol);
        }
        switch (symbol) {
            case "=", "<", ">", "<=", ">=", "<>", "*", "/", "%" ->
                out.append(' ').append(symbol).append(' ');
            case "-" -> out.append(" - ");
            case "+" -> out.append(infix ? " + " : " ");
            case "!=" -> out.append(" <> ");
            case "<=>" -> out.append(" IS NOT DISTINCT FROM ");
            case "&&" -> out.append(" AND ");
            case "||" -> out.append(text.mode().pipesAsConcat() ? " || " : " OR ");
            case "!" -> out.append(" + + ");
            case "~" -> out.append(" + - ");
            case "&" -> out.append(" & ");
            case "^" -> out.append(" * `#^` * ");
            case "<<" -> out.append(" << ");
            case ">>" -> out.append(" << `#>>` << ");
            case "|" -> out.append(" & `#|` & ");
            case "->", "->>" -> {
                return arrow(i, symbol);
            }
            case "[" -> {
                return item(i, infix);
            }
            default -> throw text.error(i, "an operator");
        }
        return i + 1;
    }

    /** Bit operators are written as others of a level that is nearly theirs, which shows only between these. */
    private void refuseMixture(String symbol) {
        Frame frame = frame();
        switch (symbol) {
            case "^" -> frame.operators |= 1;
            case "*", "/", "%" -> frame.operators |= 2;
            case "&" -> frame.operators |= 4;
            case "|" -> frame.operators |= 8;
            case "<<", ">>" -> frame.operators |= 16;
            case "+", "-" -> frame.operators |= 32;
            default -> frame.operators = 0;
        }
        boolean power = (frame.operators & 1) != 0 && (frame.operators & ~1) != 0;
        boolean and = (frame.operators & 4) != 0 && (frame.operators & (8 | 16 | 32)) != 0;
        boolean or = (frame.operators & 8) != 0 && (frame.operators & (16 | 32)) != 0;
        if (power || and || or) {
            throw StatementRefusedException.unsupported("operators mixed with " + symbol + " without parentheses");
        }
    }

    private boolean isUnitToken(int i) {
        return unitTokens.contains(i);
    }

    private int arrow(int i, String symbol) {
        TokenType next = at(i + 1).type();
        if (next != TokenType.STRING && next != TokenType.PLACEHOLDER) {
            throw text.error(i + 1, "a JSON path");
        }
        out.append("[`#").append(symbol).append("`(");
        value(i + 1);
        out.append(")]");
        return i + 2;
    }

    /** {@code x[1]}, {@code x['key']}. */
    private int item(int i, boolean infix) {
        int value = at(i + 1).isSymbol("-") ? i + 2 : i + 1;
        if (!infix || !at(value).type().isValue() || !at(value + 1).isSymbol("]")) {
            throw StatementRefusedException.unsupported(
                    "arrays of other than literals, and access by other than a literal");
        }
        out.append("[`#item`(").append(value > i + 1 ? " - " : "");
        value(value);
        out.append(")]");
        return value + 2;
    }

    private int comma(int i) {
        frame().operators = 0;
        if (frame().item >= 0) {
            closeItem(i);
            frame().item = i + 1;
        }
        out.append(',');
        return i + 1;
    }

    private int open(int i, Frame.Kind kind) {
        if (frames.size() >= MAX_DEPTH) {
            throw new StatementRefusedException(
                    1436, "HY000", "Thread stack overrun: the statement is nested too deeply");
        }
        out.append(kind == Frame.Kind.KEPT_GROUP ? " `#group`(" : "(");
        frames.push(new Frame(kind));
        return i + 1;
    }

    private int close(int i) {
        closeItem(i);
        if (frames.size() == 1) {
            throw text.error(i, "no ')'");
        }
        if (frame().rollup) {
            throw text.error(i, "WITH ROLLUP");
        }
        frames.pop();
        out.append(')');
        return i + 1;
    }

    /** Whether a parenthesis groups an expression: no call, no list, no subquery. */
    private boolean groups(int i) {
        Token next = at(i + 1);
        if (next.is("SELECT")
                || next.is("WITH")
                || (next.type() == TokenType.LEFT_PARENTHESIS && at(i + 2).is("SELECT"))) {
            return false;
        }
        Token before = at(i - 1);
        if (before.is("IN") || before.is("FROM") || before.is("JOIN") || before.is("USING") || before.is("VALUES")) {
            return false;
        }
        int depth = 0;
        for (int j = i + 1; j < tokens.size() && depth >= 0; j++) {
            TokenType type = tokens.get(j).type();
            if (type == TokenType.COMMA && depth == 0) {
                return false;
            }
            depth += type == TokenType.LEFT_PARENTHESIS ? 1 : type == TokenType.RIGHT_PARENTHESIS ? -1 : 0;
        }
        return true;
    }

    /** Ends the item of a SELECT list before the token {@code end}, naming it if it has no name. */
    private void closeItem(int end) {
        Frame frame = frame();
        if (frame.item < 0) {
            return;
        }
        if (end == frame.item) {
            throw text.error(end, "an expression");
        }
        @Nullable String label = SelectItem.label(text, frame.item, end);
        if (label != null) {
            out.append(" AS `#n").append(names.size()).append('`');
            names.add(label);
            for (int i = frame.item; i < end; i++) {
                if (tokens.get(i).type().isValue() && tokens.get(i).type() != TokenType.PLACEHOLDER) {
                    pinned.add(slot(i));
                }
            }
        }
        frame.item = -1;
    }

    private int word(int i, int to) {
        if (Keywords.BEFORE_OPERAND.contains(Keywords.upper(tokens.get(i).text()))) {
            frame().operators = 0;
        }
        return new WordWriter(this, text, i, to).write();
    }

    // What the writer of words needs.

    Frame top() {
        return frame();
    }

    void endItem(int end) {
        closeItem(end);
    }

    void pushCall(Frame.Kind kind, int i) {
        open(i, kind);
    }

    void append(String words) {
        out.append(words);
    }

    void pin(int token) {
        if (tokens.get(token).type().isValue()) {
            pinned.add(slot(token));
        }
    }

    void unitAt(int token) {
        unitTokens.add(token);
    }

    boolean isUnit(int token) {
        return unitTokens.contains(token);
    }

    void writeValue(int token) {
        value(token);
    }

    int writeIdentifier(int token) {
        return identifier(token);
    }
}
