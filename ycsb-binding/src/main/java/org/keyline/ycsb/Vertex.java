package org.keyline.ycsb;

/** The key of one row of the strategy workload. */
record Vertex(long user, long graph, long vertex) {
    /**
     * Returns the content of the row at a revision: the key and the revision in digits, then
     * letters derived from both. So a row that mixes two revisions, or belongs to another key,
     * differs from a correct one.
     */
    String payload(long revision, int length) {
        StringBuilder text = new StringBuilder(length);
        text.append(user)
                .append(':')
                .append(graph)
                .append(':')
                .append(vertex)
                .append('@')
                .append(revision)
                .append(' ');
        long state = ((user * 31 + graph) * 31 + vertex) * 31 + revision;
        while (text.length() < length) {
            state = state * 6_364_136_223_846_793_005L + 1_442_695_040_888_963_407L;
            text.append((char) ('a' + Math.floorMod(state >>> 33, 26)));
        }
        text.setLength(length);
        return text.toString();
    }
}
