// The recipe "objc_sync_enter, autoreleasepool" of the page "Porting an app".

import Foundation

#if !canImport(ObjectiveC)
/// There is no pool to drain on Linux: objects go with their last reference.
func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }
#endif

final class ReadingCount: @unchecked Sendable {
    // In place of objc_sync_enter(self), which the same thread may enter again.
    private let lock = NSRecursiveLock()
    private var count = 0

    func add(_ number: Int) -> Int {
        self.lock.withLock {
            autoreleasepool { self.count += number }
            return self.count
        }
    }
}
