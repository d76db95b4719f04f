import BluetoothAir
import Fixtures
import NIOCore
import Testing

@testable import CoreBluetooth

@Suite("12.3 Long transfers")
struct TransferTests {
    @Test(
        "12.3 carry megabytes in both directions at once unchanged",
        arguments: [
            (AirSettings.instant, loss: 0.1, octets: 4_194_304), (.instant, loss: 0, octets: 1_048_576),
            (.realistic, loss: 0.1, octets: 131_072),
        ]
    )
    func transfer(settings: AirSettings, loss: Double, octets: Int) throws {
        let talk = try ChannelTalk(settings: settings)
        let (central, ball) = try talk.openUsers()
        talk.testbed.air.setLoss(LossProbability(loss))
        central.write(octets)
        ball.write(octets)
        let isDone = talk.testbed.run(
            until: { central.received == octets && ball.received == octets },
            within: .hours(24)
        )
        #expect(isDone && central.isUnchanged && ball.isUnchanged)
        #expect(talk.peripheral.state == .connected)
    }
}
