import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Path loss")
struct PathLossTests {
    private static let distances = [
        0, 0.01, 0.09, 0.1, 0.11, 0.5, 1, 1.5, 2, 5, 10, 30, 100, 200, 300, 333, 334, 334.9, 335, 400, 1_000, 1e6,
    ]
    private static let powers: [TransmitPower] = [-127, -20, -1, 0, 1, 10, 20, 127]

    @Test("is never stronger farther away, and never weaker than the sensitivity", arguments: powers)
    func strengths(power: TransmitPower) {
        for attenuation in [0, 0.5, 3.4, 30, 51, .infinite] as [Attenuation] {
            let strengths = Self.distances.map {
                PathLoss.strength(distance: .metres($0), txPower: power, attenuation: attenuation)
            }
            let heard = strengths.compactMap { $0?.dBm }
            #expect(strengths.prefix(heard.count).allSatisfy { $0 != nil })
            #expect(heard == heard.sorted(by: >) && heard.allSatisfy { (-95...20).contains($0) })
        }
    }

    @Test("computes the range of a power")
    func ranges() {
        for power in Self.powers where power <= 20 {
            let range = PathLoss.range(txPower: power).metres
            // A distance below 10 cm counts as 10 cm.
            guard range > 0.1 else { continue }
            #expect(PathLoss.strength(distance: .metres(range * 0.999_998), txPower: power) == PathLoss.sensitivity)
            #expect(PathLoss.strength(distance: .metres(range * 1.000_1), txPower: power) == nil)
        }
    }

    @Test("the distance of a power has this power")
    func inverse() {
        for power in stride(from: -95.0, through: -25, by: 2.5) {
            let found = PathLoss.power(at: PathLoss.distance(ofPower: power))
            #expect(abs(found - power) < 1e-9)
        }
        #expect(PathLoss.power(at: .metres(0)) == PathLoss.power(at: .metres(0.1)))
        #expect(PathLoss.power(at: .metres(0.11)) < PathLoss.power(at: .metres(0.1)))
        #expect(PathLoss.power(at: .metres(1), txPower: 3) == -42)
        #expect(PathLoss.distance(ofPower: -45) == .metres(1))
    }

    @Test("a strength above 20 dBm is 20 dBm, and one below -95 dBm is none")
    func ends() {
        // At 10 cm a signal has 25 dB less than at its sender.
        for (power, strength) in [(44, 19), (45, 20), (46, 20), (127, 20)] as [(Int8, Int)] {
            #expect(PathLoss.strength(distance: .metres(0.1), txPower: TransmitPower(dBm: power))?.dBm == strength)
        }
        for (attenuation, strength) in [(50.49, -95), (50.51, nil)] as [(Double, Int?)] {
            let found = PathLoss.strength(distance: .metres(1), txPower: 0, attenuation: .decibels(attenuation))
            #expect(found?.dBm == strength)
        }
    }

    @Test("B22: the signal falls with the square of the distance; 334 m is still heard, 335 m is not")
    func pathLoss() {
        for (metres, power, strength) in [
            (0, 0, -25), (1, 0, -45), (2, 0, -51), (10, 0, -65), (30, 0, -75), (30, 10, -65), (316, 0, -95),
            (334, 0, -95), (335, 0, nil),
        ] as [(Double, TransmitPower, RSSI?)] {
            #expect(PathLoss.strength(distance: .metres(metres), txPower: power) == strength, "\(metres) m")
        }
    }
}
