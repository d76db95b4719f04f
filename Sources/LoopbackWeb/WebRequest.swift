// Requests that passed all checks, and their answers.

/// A request to be handled.
package struct WebRequest: Hashable, Sendable {
    /// The kind of a request.
    package enum Intent: Hashable, Sendable {
        /// Gets something.
        case get
        /// Changes something; the body is no longer than the server's limit.
        case post([UInt8])
    }

    /// The kind.
    package let intent: Intent
    /// The path after the token: "" is the page.
    package let path: String
    /// The user's languages, as the browser lists them (RFC 9110, 12.5.4).
    package let languages: String
}

/// The answer to a request.
package enum WebResponse: Sendable {
    /// A document.
    case content(type: String, [UInt8])
    /// A stream of events: the newest document of a topic, and then each newer one.
    case events(topic: String)
    /// The path does not exist.
    case missing
    /// The body is invalid.
    case senseless
}
