package org.keyline.gateway.session.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.read.ReplyObserver;
import org.keyline.gateway.session.settings.SqlStatement;
import org.keyline.protocol.ServerStatus;
import org.keyline.protocol.codec.Packets;

/**
 * Stores the OK packets that the store sent for pings, and for statements that change only the
 * session. These begin or end a transaction, or set autocommit, character sets, isolation level,
 * access mode or schema. Confined to one event loop.
 */
final class KnownReplies {
    /*
     * The gateway repeats a packet only for the same text after the same status flags. A text that
     * the store refuses or answers in an unexpected way (completion_type,
     * session_track_state_change) is forwarded each time.
     */

    private static final int MAX_REPLIES = 32;
    private static final int MAX_TEXT_BYTES = 64;
    private static final int MAX_PACKET_BYTES = 64;
    private static final int STATUS_AT = 3;
    private static final int INFO_AT = 7;
    private static final byte[] NO_TEXT = {};

    static final int TRANSACTION = ServerStatus.SERVER_STATUS_IN_TRANS | ServerStatus.SERVER_STATUS_IN_TRANS_READONLY;

    private static final Pattern SET = Pattern.compile(
            "\\s*SET\\s+(?:(?:SESSION|LOCAL)\\s+|@@(?:(?:SESSION|LOCAL)\\.)?)?AUTOCOMMIT\\s*:?=\\s*"
                    + "(?:(1|ON|TRUE)|0|OFF|FALSE)\\s*;?\\s*",
            Pattern.CASE_INSENSITIVE);
    /** SET statements with the same meaning in every session and at any time. */
    private static final Pattern SETTING = Pattern.compile(
            "\\s*SET\\s+(?:NAMES\\s+@(?:\\s+COLLATE\\s+@)?|(?:SESSION\\s+)?CHARACTER_SET_RESULTS\\s*=\\s*@"
                            .replace("@", "(?!DEFAULT\\b)(?:\\w+|'\\w+')")
                    + "|SESSION\\s+TRANSACTION\\s+ISOLATION\\s+LEVEL\\s+(?:READ\\s+COMMITTED|REPEATABLE\\s+READ))\\s*;?\\s*",
            Pattern.CASE_INSENSITIVE);

    /** A SET of the access mode of the session's transactions. */
    private static final Pattern ACCESS = Pattern.compile(
            "\\s*SET\\s+SESSION\\s+TRANSACTION\\s+READ\\s+(?:(ONLY)|WRITE)\\s*;?\\s*", Pattern.CASE_INSENSITIVE);

    /** A USE statement, or a COM_INIT_DB with its code. */
    private static final Pattern USE =
            Pattern.compile("\\x02\\w+|\\s*USE\\s+(`?)\\w+\\1\\s*;?\\s*", Pattern.CASE_INSENSITIVE);

    private static final Pattern BEGIN =
            Pattern.compile("\\s*(?:BEGIN(?:\\s+WORK)?|START\\s+TRANSACTION)\\s*;?\\s*", Pattern.CASE_INSENSITIVE);
    private static final Pattern END =
            Pattern.compile("\\s*(?:COMMIT|ROLLBACK)(?:\\s+WORK)?\\s*;?\\s*", Pattern.CASE_INSENSITIVE);

    enum Does {
        COMMITS_EACH,
        COMMITS_NONE,
        BEGINS,
        ENDS,
        /** A SET outside of a transaction. */
        SETS,
        /** Makes the session's later transactions READ ONLY. */
        READS_ONLY,
        /** Makes the session's later transactions READ WRITE. */
        READS_AND_WRITES,
        /** A USE outside of a transaction. */
        USES,
        NOTHING;

        /**
         * Returns the status flags after the command.
         *
         * @param before the flags before the command
         * @param begun the flags of a transaction that begins now
         */
        int after(int before, int begun) {
            return switch (this) {
                case COMMITS_EACH -> (before & ~TRANSACTION) | ServerStatus.SERVER_STATUS_AUTOCOMMIT;
                case COMMITS_NONE -> before & ~TRANSACTION & ~ServerStatus.SERVER_STATUS_AUTOCOMMIT;
                case BEGINS -> (before & ~TRANSACTION) | begun;
                case ENDS -> before & ~TRANSACTION;
                case SETS, READS_ONLY, READS_AND_WRITES, USES, NOTHING -> before;
            };
        }

        /** Returns whether the command sets the access mode of the session's transactions. */
        boolean isAccess() {
            return this == READS_ONLY || this == READS_AND_WRITES;
        }

        /** Returns the end of an OK packet that reports a change of autocommit; otherwise empty. */
        private byte[] tracked() {
            return switch (this) {
                case COMMITS_EACH -> "\0\20\0\16\12autocommit\2ON".getBytes(StandardCharsets.US_ASCII);
                case COMMITS_NONE -> "\0\21\0\17\12autocommit\3OFF".getBytes(StandardCharsets.US_ASCII);
                default -> NO_TEXT;
            };
        }
    }

    /**
     * @param before status flags before the command
     * @param packet the store's OK, without its packet header
     * @param valid returns whether the store would still accept the command
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Known(Does does, byte[] text, int before, byte[] packet, BooleanSupplier valid) {
        boolean answers(byte[] sql, int from, int to, int status) {
            return before == status && Arrays.equals(text, 0, text.length, sql, from, to);
        }

        /** Returns the session's flags, without the flags that concern only this reply. */
        int after() {
            int flags = (packet[STATUS_AT] & 0xFF) | (packet[STATUS_AT + 1] & 0xFF) << 8;
            return flags & ~ServerStatus.SERVER_SESSION_STATE_CHANGED;
        }

        private boolean reports() {
            return (packet[STATUS_AT + 1] << 8 & ServerStatus.SERVER_SESSION_STATE_CHANGED) != 0;
        }

        /**
         * Returns whether the reply reveals if the store reports changes of autocommit. MariaDB
         * never reports a change by {@code SET @@autocommit}.
         */
        private boolean showsReports() {
            boolean commits = (before & ServerStatus.SERVER_STATUS_AUTOCOMMIT) != 0;
            boolean switches = does == (commits ? Does.COMMITS_NONE : Does.COMMITS_EACH);
            return switches && (reports() || new String(text, StandardCharsets.US_ASCII).indexOf('@') < 0);
        }

        private boolean isPlain(int begun) {
            for (int i = 0; i < INFO_AT; i++) {
                if (i != STATUS_AT && i != STATUS_AT + 1 && packet[i] != 0) {
                    return false;
                }
            }
            byte[] rest = Arrays.copyOfRange(packet, INFO_AT, packet.length);
            byte[] received = does.tracked();
            boolean expected = reports()
                    ? received.length > 0 && Arrays.equals(rest, received)
                    : rest.length == 0 || (rest.length == 1 && rest[0] == 0);
            return expected && after() == does.after(before, begun);
        }
    }

    private final List<Known> replies = new ArrayList<>(0);
    private int oldest;
    private @Nullable Boolean reports;

    /** Returns what a statement does; null if {@link Does} has no constant for it. */
    static @Nullable Does of(SqlStatement statement) {
        if (statement.length() > MAX_TEXT_BYTES) {
            return null;
        }
        return switch (statement.kind()) {
            case SET -> ofSet(statement.latin());
            case USE -> USE.matcher(statement.latin()).matches() ? Does.USES : null;
            case BEGIN -> BEGIN.matcher(statement.latin()).matches() ? Does.BEGINS : null;
            case COMMIT, ROLLBACK -> END.matcher(statement.latin()).matches() ? Does.ENDS : null;
            default -> null;
        };
    }

    private static @Nullable Does ofSet(String text) {
        Matcher set = SET.matcher(text);
        if (set.matches()) {
            return set.group(1) == null ? Does.COMMITS_NONE : Does.COMMITS_EACH;
        }
        Matcher access = ACCESS.matcher(text);
        if (access.matches()) {
            return access.group(1) == null ? Does.READS_AND_WRITES : Does.READS_ONLY;
        }
        return SETTING.matcher(text).matches() ? Does.SETS : null;
    }

    /**
     * Returns the known reply to a statement, or to a ping if the text is empty; null if the reply
     * after these status flags is unknown.
     *
     * @param status the session's flags before the command
     */
    @Nullable
    Known find(byte[] sql, int from, int to, int status) {
        for (int i = 0; i < replies.size(); i++) {
            Known known = replies.get(i);
            if (known.answers(sql, from, to, status)) {
                if (known.valid().getAsBoolean()) {
                    return known;
                }
                replies.remove(i);
                oldest = 0;
                return null;
            }
        }
        return null;
    }

    /**
     * Returns an observer that records the reply to a command.
     *
     * @param text the text of the command; empty for a ping
     * @param status the flags before the command
     * @param begun the flags of a transaction that begins now
     * @param valid returns whether the store would still accept the command
     */
    ReplyObserver learner(Does does, byte[] text, int status, int begun, BooleanSupplier valid) {
        return new ReplyObserver() {
            private byte @Nullable [] packet;
            private boolean longer;

            @Override
            public void packets(ByteBuf framed) {
                int length = framed.readableBytes() - Packets.HEADER_BYTES;
                longer |= packet != null || length < INFO_AT || length > MAX_PACKET_BYTES;
                if (!longer) {
                    packet = ByteBufUtil.getBytes(framed, framed.readerIndex() + Packets.HEADER_BYTES, length);
                }
            }

            @Override
            public void end() {
                if (packet != null && !longer) {
                    learn(new Known(does, text, status, packet, valid), begun);
                }
            }

            @Override
            public void lost() {
                longer = true;
            }
        };
    }

    private void learn(Known reply, int begun) {
        if (!reply.isPlain(begun)) {
            return;
        }
        if (reply.showsReports()) {
            reports = reply.reports();
        }
        add(reply);
    }

    private void add(Known reply) {
        if (find(reply.text(), 0, reply.text().length, reply.before()) != null) {
            return;
        }
        if (replies.size() < MAX_REPLIES) {
            replies.add(reply);
        } else {
            replies.set(oldest, reply);
            oldest = (oldest + 1) % MAX_REPLIES;
        }
    }

    /** Returns whether OK packets report changes of autocommit; null until known. */
    @Nullable
    Boolean reports() {
        return reports;
    }

    void learn(KnownReplies session) {
        session.replies.forEach(this::add);
    }

    /** Called when the content of OK packets may have changed. */
    void forget() {
        replies.clear();
        reports = null;
    }
}
