// Which of two distances, and of two attenuations, is the smaller one.

import BluetoothAir
import Fixtures
import Testing

@Suite("Order of distances and attenuations")
struct PlaceOrderTests {
    @Test("A distance is less than a greater one, and not less than an equal or a smaller one")
    func distances() {
        let distances: [Distance] = [.metres(0), .metres(0.01), .metres(1), .metres(10_000_000)]
        for (index, one) in distances.enumerated() {
            for (otherIndex, other) in distances.enumerated() {
                #expect((one < other) == (index < otherIndex), "\(one) and \(other)")
            }
        }
    }

    @Test("An attenuation is less than a greater one, and not less than an equal or a smaller one")
    func attenuations() {
        let attenuations: [Attenuation] = [0, 3.4, 6.9, 30, .infinite]
        for (index, one) in attenuations.enumerated() {
            for (otherIndex, other) in attenuations.enumerated() {
                #expect((one < other) == (index < otherIndex), "\(one) and \(other)")
            }
        }
    }
}
