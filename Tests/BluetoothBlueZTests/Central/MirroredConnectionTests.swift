import NIOCore
import Testing

@testable import BluetoothBlueZ

struct MirroredConnectionTests {
    private typealias Action = MirroredConnection.Action

    /// A device that BlueZ knows and is not connected to.
    private func present() -> MirroredConnection {
        MirroredConnection(isPresent: true, isConnected: false, isResolved: false)
    }

    /// One whose mirror our host is linked to.
    private func linked(isOurs: Bool = true) -> MirroredConnection {
        var connection = MirroredConnection(isPresent: true, isConnected: !isOurs, isResolved: !isOurs)
        _ = connection.setWanted(true)
        if isOurs { _ = connection.update(isPresent: true, isConnected: true, isResolved: true) }
        _ = connection.explored()
        _ = connection.linked()
        _ = connection.setWanted(false)
        return connection
    }

    @Test("offers the mirror only when services are resolved and BlueZ has reported their objects")
    func connects() {
        var connection = self.present()
        #expect(connection.setWanted(true) == [.connect])
        #expect(connection.update(isPresent: true, isConnected: true, isResolved: false) == [])
        #expect(connection.connectEnded(nil) == [])
        #expect(connection.update(isPresent: true, isConnected: true, isResolved: true) == [.explore])
        #expect(connection.explored() == [.offer])
        #expect(connection.linked() == [])
    }

    @Test("trusts no success without a link")
    func falseSuccess() {
        var connection = self.present()
        _ = connection.setWanted(true)
        #expect(connection.connectEnded(nil) == [.schedule(.milliseconds(250))])
        #expect(connection.delayElapsed() == [.connect])
    }

    @Test("asks for an absent device without end, with a growing delay")
    func retries() {
        var connection = self.present()
        _ = connection.setWanted(true)
        var delays: [Action] = []
        for _ in 0..<6 {
            delays += connection.connectEnded(.failed)
            #expect(connection.delayElapsed() == [.connect])
        }
        #expect(delays == [250, 500, 1_000, 2_000, 4_000, 4_000].map { .schedule(.milliseconds($0)) })
    }

    @Test("searches a device without an object, and one whose object goes")
    func searches() {
        var connection = MirroredConnection(isPresent: false, isConnected: false, isResolved: false)
        #expect(connection.setWanted(true) == [])
        #expect(connection.needsDiscovery)
        #expect(connection.update(isPresent: true, isConnected: false, isResolved: false) == [.connect])
        #expect(!connection.needsDiscovery)
        #expect(connection.connectEnded(.unknownDevice) == [])
        #expect(connection.needsDiscovery)
    }

    @Test("keeps a wish that ends for a moment")
    func grace() {
        var connection = self.present()
        _ = connection.setWanted(true)
        #expect(connection.setWanted(false) == [.schedule(MirroredConnection.grace)])
        #expect(connection.setWanted(true) == [])
        #expect(connection.delayElapsed() == [])
    }

    @Test("cancels with Disconnect")
    func cancels() {
        var connection = self.present()
        _ = connection.setWanted(true)
        _ = connection.setWanted(false)
        #expect(connection.delayElapsed() == [.disconnect])
        #expect(connection.isForgettable)
    }

    @Test("ends its own connection, and leaves another program's")
    func ends() {
        var connection = self.linked()
        #expect(connection.linkEnded() == [.withdraw, .disconnect])
        connection = self.linked(isOurs: false)
        #expect(connection.linkEnded() == [.withdraw])
    }

    @Test("takes the mirror away when the device is lost")
    func lost() {
        var connection = self.linked()
        #expect(connection.update(isPresent: true, isConnected: false, isResolved: false) == [.withdraw])
        #expect(connection.isForgettable)
    }

    @Test("waits for the end of a connection before the next one")
    func reconnects() {
        var connection = self.linked()
        _ = connection.linkEnded()
        #expect(!connection.isForgettable)
        #expect(connection.setWanted(true) == [.schedule(MirroredConnection.endLimit)])
        #expect(connection.update(isPresent: true, isConnected: true, isResolved: true) == [])
        #expect(connection.update(isPresent: true, isConnected: false, isResolved: false) == [.connect])
    }

    @Test("uses a connection that does not end")
    func staysConnected() {
        var connection = self.linked()
        _ = connection.linkEnded()
        _ = connection.setWanted(true)
        #expect(connection.delayElapsed() == [.explore])
    }

    @Test("begins anew when the device is lost before the link", arguments: [1, 2, 3])
    func lostEarly(steps: Int) {
        var connection = self.present()
        _ = connection.setWanted(true)
        _ = connection.update(isPresent: true, isConnected: true, isResolved: false)
        if steps > 1 { _ = connection.update(isPresent: true, isConnected: true, isResolved: true) }
        if steps > 2 { _ = connection.explored() }
        let actions = connection.update(isPresent: true, isConnected: false, isResolved: false)
        #expect(actions == (steps > 2 ? [.withdraw] : []) + [.schedule(.milliseconds(250))])
        #expect(connection.delayElapsed() == [.connect])
    }
}
