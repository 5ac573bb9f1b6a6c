@NullMarked
package org.keyline.stores.mysql.catalog;

import org.jspecify.annotations.NullMarked;
