import BluetoothAir
import CoreBluetooth
import Foundation
import NIOCore
import Testbed
import Testing

@testable @_spi(Steps) import ITCB

@Suite("Many devices")
struct ManyDevicesTests {
    @Test("answers 20 centrals three times each", arguments: [AirSettings.instant, .realistic])
    func twentyCentrals(settings: AirSettings) throws {
        let testbed = Testbed(settings: settings, seed: 21)
        let ball = testbed.ball("Crystal")
        let centrals = (1...20).map { _ in testbed.central() }
        #expect(testbed.run(until: { centrals.allSatisfy { $0.found.count == 1 } }, within: .seconds(120)))
        for round in 1...3 {
            for (number, central) in centrals.enumerated() {
                central.device("Crystal")?.sendQuestion("Round \(round), central \(number)?")
            }
            #expect(testbed.run { centrals.allSatisfy { $0.answered.count == round } })
        }
        #expect(ball.answered.count == 60)
        #expect(Set(ball.answered) == Set(centrals.flatMap(\.answered)))
        #expect(Set(ball.sdk._centrals.map(\.uuid)).count == 20)
        for (number, central) in centrals.enumerated() {
            #expect(central.asked == (1...3).map { "Round \($0), central \(number)?" })
            #expect(central.errors.isEmpty)
        }
    }

    @Test("releases everything with the SDK")
    func dropped() {
        let testbed = Testbed()
        let ball = testbed.ball("Crystal")
        weak var dropped: ITCB_SDK_Central?
        do {
            let central = testbed.central()
            #expect(testbed.run { central.found.count == 1 })
            central.found[0].sendQuestion("Bye?")
            #expect(testbed.run { !central.sdk.devices.isEmpty && !ball.asked.isEmpty })
            central.sdk.removeObserver(central)
            dropped = central.sdk
        }
        testbed.run(.seconds(1))
        #expect(dropped == nil)
        #expect(ball.sdk._centrals.map(\._isSubscribed) == [false])
        let other = testbed.central()
        other.onFound = { $0.sendQuestion("And me?") }
        #expect(testbed.run { other.answered.count == 1 })
    }
}
