// What a page's program gets and gives, behind all checks.

/// A request that is to be obeyed.
package struct WebRequest: Hashable, Sendable {
    /// What it wants.
    package enum Intent: Hashable, Sendable {
        /// To get something.
        case get
        /// To change something; the body is no longer than the server's limit.
        case post([UInt8])
    }

    /// What it wants.
    package let intent: Intent
    /// The path behind the token: "" is the page.
    package let path: String
    /// The user's languages, as the browser lists them (RFC 9110, 12.5.4).
    package let languages: String
}

/// The answer to a request.
package enum WebResponse: Sendable {
    /// A document.
    case content(type: String, [UInt8])
    /// A stream of events: the newest document of a topic, and from then on each newer one.
    case events(topic: String)
    /// There is no such path.
    case missing
    /// What was posted makes no sense.
    case senseless
}
