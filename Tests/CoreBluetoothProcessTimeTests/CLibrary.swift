// Functions of the C library that its modules do not have for Swift.

import Foundation
import Testing

enum CLibrary {
    typealias Fill = @convention(c) (UnsafeMutableRawPointer, Int) -> Void
    typealias Word = @convention(c) () -> UInt32
    typealias BoundedWord = @convention(c) (UInt32) -> UInt32
    typealias GetRandom = @convention(c) (UnsafeMutableRawPointer, Int, UInt32) -> Int
    typealias EpollCreate = @convention(c) (Int32) -> Int32
    typealias EpollControl = @convention(c) (Int32, Int32, Int32, UnsafeMutableRawPointer) -> Int32
    typealias EpollWait = @convention(c) (Int32, UnsafeMutableRawPointer, Int32, Int32) -> Int32
    typealias EpollPwait =
        @convention(c) (Int32, UnsafeMutableRawPointer, Int32, Int32, UnsafePointer<sigset_t>?) -> Int32
    typealias SemaphoreWait = @convention(c) (UnsafeMutablePointer<sem_t>, clockid_t, UnsafePointer<timespec>) -> Int32
    typealias LockWait =
        @convention(c) (UnsafeMutablePointer<pthread_rwlock_t>, clockid_t, UnsafePointer<timespec>) -> Int32

    static func function<Function>(_ name: String, as: Function.Type) throws -> Function {
        unsafeBitCast(try #require(dlsym(nil, name)), to: Function.self)
    }
}
