// Attributes of scripts as values.

import CoreBluetooth
import Foundation
import Testing

@testable import CoreBluetoothTesting

@Suite("Attributes of a scripted peripheral")
struct ScriptAttributesTests {
    @Test("Vol 3, Part G, 3.3.3: writes numbers of descriptors as the specification does")
    func numbers() {
        typealias Descriptor = ScriptedPeripheral.Descriptor
        #expect(Descriptor.serverConfiguration(isBroadcast: true).value == Data([1, 0]))
        #expect(Descriptor.serverConfiguration(isBroadcast: false).value == Data([0, 0]))
        let format = Descriptor.presentationFormat(0x0E, exponent: -2, unit: 0x272F, namespace: 2, description: 0x0106)
        #expect(format.value == Data([0x0E, 0xFE, 0x2F, 0x27, 0x02, 0x06, 0x01]))
        #expect(
            Descriptor.presentationFormat(0x04, unit: 0x2700).value
                == Data([0x04, 0x00, 0x00, 0x27, 0x01, 0x00, 0x00])
        )
        #expect(Descriptor.validRange(Data([1, 2]), Data([3, 4])).value == Data([1, 2, 3, 4]))
    }

    @Test("sends values at their times in order, equal times as given")
    func times() {
        let times: [Duration] = [.seconds(5), .seconds(1), .seconds(5), .seconds(1), .seconds(5)]
        let updates = ScriptedPeripheral.Updates.at(
            times.enumerated().map { (time: $0.element, value: Data([UInt8($0.offset)])) }
        )
        #expect((0..<5).map { updates.value($0) } == ([1, 3, 0, 2, 4] as [UInt8]).map { Data([$0]) })
        let delays: [Duration?] = (0...5).map { updates.delay(before: $0) }
        #expect(delays == [.seconds(1), .zero, .seconds(4), .zero, .zero, nil])
        #expect(ScriptedPeripheral.Updates.every(.seconds(2)) { _ in Data() }.delay(before: 7) == .seconds(2))
    }
}
