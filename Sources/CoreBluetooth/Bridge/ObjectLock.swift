// The lock of objects that an app can see: a manager with its peers and their attributes, or an object that the app has
// created. Unlike SwiftNIO's it is stored inline and calls nothing without contention: every value that is sent or
// received takes several.

import Synchronization

/// A lock that several objects share.
///
/// Not recursive.
final class ObjectLock: Sendable {
    private let mutex = Mutex(())

    /// Calls `body` with the lock held.
    @inline(__always)
    func withLock<Result>(_ body: () -> Result) -> Result {
        // The result bypasses the mutex, whose closure may only return values that it can send.
        var result: Result?
        self.mutex.withLock { _ in result = body() }
        guard let result = result.take() else { preconditionFailure("the body was called") }
        return result
    }
}
