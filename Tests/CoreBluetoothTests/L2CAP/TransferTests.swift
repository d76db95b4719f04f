// Many octets in both directions at once, on an air that loses one packet in ten: all arrive, unchanged and in order.

import BluetoothAir
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("12.3 Long transfers")
struct TransferTests {
    /// What each side sends: 64 MiB where the compiler optimises, which the gate's benchmarks check again through
    /// threads.
    private static var total: Int {
        #if DEBUG
        8 * 1_048_576
        #else
        64 * 1_048_576
        #endif
    }

    @Test("12.3 megabytes in both directions at once arrive unchanged, one packet in ten lost")
    func withLoss() throws { try self.transfer(.instant, loss: 0.1, total: Self.total) }

    @Test("12.3 the same without loss")
    func withoutLoss() throws { try self.transfer(.instant, loss: 0, total: Self.total / 8) }

    @Test("12.3 the same on an air with air time, one packet in ten lost")
    func airTime() throws { try self.transfer(.realistic, loss: 0.1, total: Self.total / 64) }

    private func transfer(_ settings: AirSettings, loss: Double, total: Int) throws {
        let talk = try ChannelTalk(settings: settings)
        let (central, ball) = try talk.openUsers()
        talk.testbed.air.setLoss(LossProbability(loss))
        central.write(total)
        ball.write(total)
        let isDone = talk.testbed.run(
            until: { central.received == total && ball.received == total },
            within: .hours(24)
        )
        #expect(isDone)
        #expect(central.isUnchanged && ball.isUnchanged)
        #expect(talk.peripheral.state == .connected)
    }
}
