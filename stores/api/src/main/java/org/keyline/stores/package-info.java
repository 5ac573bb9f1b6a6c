/**
 * The interface of stores. A store has a catalog of tables, and sessions that receive commands and
 * answer with packets. The embedded store answers with packets too, so that forwarding, templates
 * and loads need only one mechanism.
 */
@NullMarked
package org.keyline.stores;

import org.jspecify.annotations.NullMarked;
