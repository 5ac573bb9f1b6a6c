package org.keyline.stores.duckdb.session;

/** The one node that Doris's administrators see of this store, as a frontend and as a backend. */
final class DorisNode {
    /** Its number as a backend, and that of its cluster. */
    static final String ID = "1";

    private static final String NAME = "keyline";

    private final DuckDbState session;

    DorisNode(DuckDbState session) {
        this.session = session;
    }

    /** The SELECT of SHOW FRONTENDS. */
    String frontends() {
        String began = began();
        String port = session.variables().get("port");
        return DorisStatements.one(
                "Name",
                NAME,
                "Host",
                "127.0.0.1",
                "EditLogPort",
                "-1",
                "HttpPort",
                "-1",
                "QueryPort",
                port,
                "RpcPort",
                "-1",
                "ArrowFlightSqlPort",
                "-1",
                "Role",
                "FOLLOWER",
                "IsMaster",
                "true",
                "ClusterId",
                ID,
                "Join",
                "true",
                "Alive",
                "true",
                "ReplayedJournalId",
                "0",
                "LastStartTime",
                began,
                "LastHeartbeat",
                began,
                "IsHelper",
                "true",
                "ErrMsg",
                "",
                "Version",
                session.services().version(),
                "CurrentConnected",
                "Yes",
                "LiveSince",
                began);
    }

    /** The SELECT of SHOW BACKENDS. */
    String backends() {
        String began = began();
        return DorisStatements.one(
                "BackendId",
                ID,
                "Host",
                "127.0.0.1",
                "HeartbeatPort",
                "-1",
                "BePort",
                "-1",
                "HttpPort",
                "-1",
                "BrpcPort",
                "-1",
                "ArrowFlightSqlPort",
                "-1",
                "LastStartTime",
                began,
                "LastHeartbeat",
                began,
                "Alive",
                "true",
                "SystemDecommissioned",
                "false",
                "Tag",
                "{\"location\" : \"default\"}",
                "ErrMsg",
                "",
                "Version",
                session.services().version(),
                "NodeRole",
                "mix",
                "CpuCores",
                Integer.toString(Runtime.getRuntime().availableProcessors()),
                "LiveSince",
                began);
    }

    private String began() {
        return session.services().began().toString().replace('T', ' ').substring(0, 19);
    }
}
