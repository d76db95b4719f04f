// The limits of ATT in the specification, in octets and in time.

import NIOCore

/// The limits of ATT that several parts need.
package enum ATT {
    /// The ATT MTU of a link on which none was exchanged (Vol 3, Part G, 5.2.1).
    package static let defaultMTU = L2CAP.minimumMTU
    /// The largest ATT MTU that this host offers: a prepared write of the longest attribute value fits.
    package static let maximumMTU = maximumValueLength + 5
    /// The longest value of an attribute (Vol 3, Part F, 3.2.9).
    package static let maximumValueLength = 512
    /// The longest value in a Read By Type Response (Vol 3, Part F, 3.4.4.2).
    static func longestListedValue(mtu: Int) -> Int { min(mtu - 4, 253) }
    /// The time limit of the answer to a request or an indication (Vol 3, Part F, 3.3.3).
    static let transactionTimeout = TimeAmount.seconds(30)
}
