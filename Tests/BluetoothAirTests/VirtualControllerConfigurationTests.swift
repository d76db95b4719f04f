import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Resources of a controller")
struct VirtualControllerConfigurationTests {
    private typealias Number = WritableKeyPath<VirtualControllerConfiguration, Int>

    @Test("each number stays within its range, by itself")
    func ranges() {
        let numbers: [(Number, ClosedRange<Int>, Int)] = [
            (\.aclDataPacketLength, 27...251, 251), (\.aclDataPacketCount, 1...255, 64),
            (\.maximumLinkCount, 1...1_024, 128), (\.commandCredits, 1...255, 4), (\.filterAcceptListSize, 1...255, 64),
            (\.resolvingListSize, 0...255, 64), (\.advertisingSetCount, 1...240, 16),
        ]
        for (number, range, usual) in numbers {
            let (first, last) = (range.lowerBound, range.upperBound)
            #expect(VirtualControllerConfiguration()[keyPath: number] == usual)
            for (value, taken) in [
                (first - 1, first), (first, first), (first + 1, first + 1), (last - 1, last - 1), (last, last),
                (last + 1, last), (.min, first), (.max, last),
            ] {
                var configuration = VirtualControllerConfiguration()
                configuration[keyPath: number] = value
                var expected = VirtualControllerConfiguration()
                expected[keyPath: number] = taken
                #expect(configuration.clamped == expected)
            }
        }
    }

    @Test("a host learns of them, and the controller keeps to them")
    func told() {
        let testbed = AirTestbed()
        let host = testbed.host(configuration: .small)
        #expect(host.run(LEReadBufferSize())?.aclDataPacketLength == 27)
        #expect(host.run(LEReadBufferSize())?.aclDataPacketCount == 3)
        #expect(host.run(LEReadBufferSizeV2())?.aclDataPacketCount == 3)
        #expect(host.run(ReadBufferSize())?.aclDataPacketCount == 3)
        #expect(host.run(LEReadFilterAcceptListSize())?.size == 2)
        #expect(host.run(LEReadResolvingListSize())?.size == 2)
        #expect(host.run(LEReadNumberOfSupportedAdvertisingSets())?.count == 2)
    }
}
