// The numbers that an air draws for the loss of packets: what is compared with the probability, and when none is drawn.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Chances of an air")
struct AirChanceTests {
    private func air(_ loss: LossProbability) -> Air {
        AirTestbed(AirSettings(hasAirTime: false, loss: loss), seed: 0).air
    }

    @Test("A packet is lost where the number that is drawn is below the probability, and not where they are equal")
    func edge() {
        // The first number of SplitMix64 with seed 0; its upper 53 bits are used.
        let first: UInt64 = 0xE220_A839_7B1D_CDAF
        let drawn = Double(first >> 11) * 0x1p-53
        for (loss, isLost) in [(drawn.nextDown, false), (drawn, false), (drawn.nextUp, true)] {
            #expect(self.air(LossProbability(loss)).losesPacket() == isLost, "\(loss)")
        }
    }

    @Test("No number is drawn where every packet is lost, or none", arguments: [0, 1] as [Double])
    func certain(loss: Double) {
        let air = self.air(LossProbability(loss))
        for _ in 0..<2 { #expect(air.losesPacket() == (loss == 1)) }
        air.setLoss(0.5)
        // The first numbers of the seed are 0.88 and 0.43; 0.03 and 0.97 follow.
        #expect([air.losesPacket(), air.losesPacket()] == [false, true])
    }
}
