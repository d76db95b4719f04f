// Descriptors whose value is a number, as peripherals send them that do not keep to its two octets.

import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("7.9 Descriptors that are numbers")
struct DescriptorNumberTests {
    /// The values of a foreign peripheral's descriptors, as an app reads them.
    private func values(_ descriptors: [(type: UInt16, value: [UInt8])]) throws -> [Any?] {
        let setup = try ForeignConversation(ForeignPeripheral.heart(descriptors: descriptors))
        let (testbed, peripheral) = (setup.testbed, setup.peripheral)
        let heart = try setup.discover()
        peripheral.discoverDescriptors(for: heart)
        try #require(testbed.run { heart.descriptors?.count == descriptors.count })
        let found = heart.descriptors ?? []
        for descriptor in found { peripheral.readValue(for: descriptor) }
        try #require(testbed.run { found.allSatisfy { $0.value != nil } })
        withExtendedLifetime(setup) {}
        return found.map(\.value)
    }

    @Test(
        "7.9 a number is the first two octets, least significant first; octets that are missing are zero",
        arguments: [
            ([], 0), ([0x05], 5), ([0x34, 0x12], 0x1234), ([0x00, 0x80], 0x8000), ([0x34, 0x12, 0x56], 0x1234),
            ([0xFF, 0xFF, 0xFF, 0xFF], 0xFFFF),
        ] as [([UInt8], Int)]
    )
    func numbers(octets: [UInt8], number: Int) throws {
        let values = try self.values([(0x2900, octets), (0x2902, octets), (0x2903, octets)])
        try #require(values.count == 3)
        for value in values { #expect((value as? NSNumber)?.intValue == number) }
    }

    @Test("7.9 a text may be empty, and what is no number keeps its octets")
    func others() throws {
        let values = try self.values([(0x2901, []), (0x2905, []), (0x2906, [1, 2, 3])])
        try #require(values.count == 3)
        #expect(values[0] as? NSString == "")
        #expect(values[1] as? NSData == NSData())
        #expect(values[2] as? NSData == NSData(data: Data([1, 2, 3])))
    }
}
