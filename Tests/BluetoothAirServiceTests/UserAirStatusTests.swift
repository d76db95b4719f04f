import BluetoothTransport
import BluetoothTypes
import Fixtures
import Foundation
import Testing

@testable import BluetoothAirService

@Suite("Status of the user's air")
struct UserAirStatusTests {
    private let folder: TemporaryFolder

    init() throws { self.folder = try TemporaryFolder() }

    @Test("reads the status of an air from its files: whether it is served, and by which process")
    func status() throws {
        let free = try UserAirStatus(folder: self.folder.path)
        #expect(free.socket == self.folder("air"))
        #expect(!free.isServed && free.server == nil && !free.isSuspended)
        let lock = try #require(try FileLock.take(self.folder("air.lock")))
        let unnamed = try UserAirStatus(folder: self.folder.path)
        #expect(unnamed.isServed && unnamed.server == nil && !unnamed.isSuspended)
        lock.writeProcessNumber()
        let named = try UserAirStatus(folder: self.folder.path)
        #expect(named.isServed && !named.isSuspended)
        #expect(named.server?.number == Int(ProcessInfo.processInfo.processIdentifier))
        withExtendedLifetime(lock) {}
    }
}
