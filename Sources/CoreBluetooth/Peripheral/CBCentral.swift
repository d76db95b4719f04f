// A remote central.

/// A remote central.
open class CBCentral: CBPeer {
    /// The longest value that one update can carry to this central.
    open var maximumUpdateValueLength: Int { preconditionFailure("in the making") }
}
