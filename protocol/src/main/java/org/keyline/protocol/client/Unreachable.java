package org.keyline.protocol.client;

import io.netty.channel.ConnectTimeoutException;
import java.io.EOFException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.util.Locale;
import javax.net.ssl.SSLException;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;

/** The error for an unreachable server, with the same text for all drivers and transports. */
public final class Unreachable {
    public static final String NO_ANSWER = "no answer in time";

    private Unreachable() {}

    public static String sentence(SocketAddress address, String reason) {
        String at = address instanceof InetSocketAddress socket
                ? socket.getHostString() + ":" + socket.getPort()
                : String.valueOf(address);
        return "Keyline cannot reach the store at " + at + ": " + reason;
    }

    /**
     * Returns an error with a number that a server may send. Client libraries reject the numbers
     * 2000 to 2999, which they use themselves.
     */
    public static ErrPacket error(SocketAddress address, String reason) {
        return ErrPacket.of(ErrorCode.ER_CONNECT_TO_FOREIGN_DATA_SOURCE, sentence(address, reason));
    }

    /** Returns whether the failure is possibly temporary, as only network failures are. */
    public static boolean mayPass(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SSLException) {
                return false;
            }
        }
        Throwable root = root(failure);
        return root instanceof SocketException
                || root instanceof SocketTimeoutException
                || root instanceof UnknownHostException
                || root instanceof EOFException
                || root instanceof ClosedChannelException;
    }

    public static String reason(Throwable failure) {
        Throwable root = root(failure);
        String message = String.valueOf(root.getMessage()).lines().findFirst().orElse("");
        String lower = message.toLowerCase(Locale.ROOT);
        if (root instanceof UnknownHostException) {
            return "unknown host";
        }
        if (root instanceof NoRouteToHostException) {
            return "no route to host";
        }
        if (root instanceof SocketTimeoutException || root instanceof ConnectTimeoutException) {
            return NO_ANSWER;
        }
        if (lower.contains("refused") && root instanceof ConnectException) {
            return "connection refused";
        }
        boolean closed = root instanceof EOFException
                || root instanceof ClosedChannelException
                || lower.contains("connection reset")
                || lower.contains("broken pipe");
        return closed ? "it closed the connection" : message;
    }

    private static Throwable root(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }
}
