package org.keyline.ycsb;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.keyline.ycsb.Search.Publication;

/** Results of searches in a separate Redis with LRU eviction. Confined to one thread. */
final class RedisResults implements Search.Results, AutoCloseable {
    private final TierServer server;
    private final Socket socket;
    private final DataInputStream in;

    private RedisResults(TierServer server) throws IOException {
        this.server = server;
        this.socket = server.connect();
        this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    }

    /**
     * @param program redis-server, valkey-server, or a file
     * @throws IOException if the program is missing or does not start
     */
    static RedisResults start(String program) throws IOException {
        TierServer server = TierServer.start(program, "--maxmemory-policy", "allkeys-lru");
        try {
            return new RedisResults(server);
        } catch (IOException e) {
            server.close();
            throw e;
        }
    }

    /** Empties the server and limits its memory. The server itself needs about a megabyte. */
    RedisResults emptied(long bytes) throws IOException {
        String unused = line(text("CONFIG"), text("SET"), text("maxmemory"), text(Long.toString(bytes)));
        unused = line(text("FLUSHALL"));
        return this;
    }

    @Override
    public Optional<List<Publication>> get(String key) throws IOException {
        int length = Integer.parseInt(line(text("GET"), text(key)).substring(1));
        if (length < 0) {
            return Optional.empty();
        }
        byte[] value = in.readNBytes(length);
        in.skipNBytes(2);
        return Optional.of(decoded(value));
    }

    @Override
    public void put(String key, List<Publication> result) throws IOException {
        String unused = line(text("SET"), text(key), encoded(result));
    }

    /** Sends a command, and returns the first line of the reply. */
    private String line(byte[]... words) throws IOException {
        ByteArrayOutputStream command = new ByteArrayOutputStream();
        command.writeBytes(text("*" + words.length + "\r\n"));
        for (byte[] word : words) {
            command.writeBytes(text("$" + word.length + "\r\n"));
            command.writeBytes(word);
            command.writeBytes(text("\r\n"));
        }
        socket.getOutputStream().write(command.toByteArray());
        ByteArrayOutputStream reply = new ByteArrayOutputStream();
        for (int next = in.readUnsignedByte(); next != '\r'; next = in.readUnsignedByte()) {
            reply.write(next);
        }
        in.skipNBytes(1);
        String line = reply.toString(US_ASCII);
        if (line.startsWith("-")) {
            throw new IOException("the results server reports " + line);
        }
        return line;
    }

    private static byte[] text(String text) {
        return text.getBytes(UTF_8);
    }

    static byte[] encoded(List<Publication> result) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(result.size());
        for (Publication each : result) {
            out.writeInt(each.id());
            out.writeUTF(each.title());
            out.writeUTF(each.authors());
            out.writeInt(each.year());
            out.writeBoolean(each.publisher() != null);
            out.writeUTF(each.publisher() == null ? "" : each.publisher());
            out.writeUTF(each.venue());
            out.writeUTF(each.source());
        }
        return bytes.toByteArray();
    }

    static List<Publication> decoded(byte[] bytes) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        int count = in.readInt();
        List<Publication> result = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            int id = in.readInt();
            String title = in.readUTF();
            String authors = in.readUTF();
            int year = in.readInt();
            boolean published = in.readBoolean();
            String name = in.readUTF();
            @Nullable String publisher = published ? name : null;
            result.add(new Publication(id, title, authors, year, publisher, in.readUTF(), in.readUTF()));
        }
        return result;
    }

    @Override
    public void close() throws IOException {
        socket.close();
        server.close();
    }
}
