// What the user sees of a message.

import Foundation

package struct ChatMessage: Identifiable, Equatable, Sendable {
    package enum Delivery: Equatable, Sendable {
        /// Sent to everyone, or received.
        case none
        case sending
        case delivered(Date)
        case failed
    }

    package let id: UUID
    package let sender: PeerID
    /// `nil` for a message to everyone.
    package let recipient: PeerID?
    package let text: String
    package let sentAt: Date
    package var delivery: Delivery
}
