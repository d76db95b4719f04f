// Why a message cannot be sent.

package enum MeshError: Error, Equatable {
    /// Nobody with this identifier has been heard.
    case unknownPeer
    case messageTooLong
}
