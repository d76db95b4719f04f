// The lock of what an app can see: of a manager, its peers and their attributes, or of an object that the app made.
// Unlike SwiftNIO's it is in the object itself, and calls nothing while nobody else has it: every value that is sent or
// comes takes several.

import Synchronization

/// A lock that several objects share.
///
/// Not to be taken again by who has it.
final class ObjectLock: Sendable {
    private let mutex = Mutex(())

    /// Calls `body` while nobody else is inside.
    @inline(__always)
    func withLock<Result>(_ body: () -> Result) -> Result {
        // What is guarded is not the mutex's own, so what leaves it is not for the mutex to judge.
        var result: Result?
        self.mutex.withLock { _ in result = body() }
        guard let result = result.take() else { preconditionFailure("the body was called") }
        return result
    }
}
