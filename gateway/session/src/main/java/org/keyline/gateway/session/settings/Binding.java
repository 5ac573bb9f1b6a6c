package org.keyline.gateway.session.settings;

/** Why an idle client retains its store session. Usually, others would lack the client's state. */
public enum Binding {
    RELAYED_LOGIN("The store itself logged the client in, so Keyline could not open another session for it."),
    SWITCHED_OFF("store.idleSession is 0."),
    STORE("Keyline cannot open a session like the client's at this kind of store."),
    BUSY("A command of the client is in progress."),
    TRANSACTION("A transaction is open, or a setting waits for the next one."),
    XA("The session has run an XA statement."),
    TABLE_LOCKS("The session holds table locks."),
    NAMED_LOCK("The session has called a user-level lock function such as GET_LOCK."),
    TEMPORARY_TABLE("The session has created temporary tables."),
    USER_VARIABLE("The session has named a user variable."),
    SETTING("The session has set something that Keyline cannot set again in the same way."),
    ROLE("The session has set a role."),
    SCHEMA("The current schema is not known."),
    INIT_CONNECT("The store runs init_connect at each login."),
    NAMED_STATEMENT("The session has prepared a statement by PREPARE."),
    CURSOR("The session has opened a cursor at the store."),
    HANDLE("The client has a prepared statement, which the store has prepared or executed."),
    FUNCTION("The session has called a function that Keyline does not know."),
    STORED_CODE("Stored code may have run in the session."),
    SEQUENCE("The session has used a sequence."),
    CONNECTION_ID("The session may have read its connection id at the store."),
    LAST_STATEMENT("The session has used state of its store session that Keyline cannot set."),
    LOAD("The session has loaded a file."),
    OTHER_STATEMENT("The session has run a statement of a kind that may leave state in it."),
    UNREAD("The session has run a statement that Keyline did not parse."),
    WARNINGS("The last statement left warnings or an error."),
    ROW_COUNT("The last statement wrote rows, which ROW_COUNT() returns."),
    TRACKED("The store has yet to report a change of the session's state.");

    private final String sentence;

    Binding(String sentence) {
        this.sentence = sentence;
    }

    public String sentence() {
        return sentence;
    }
}
