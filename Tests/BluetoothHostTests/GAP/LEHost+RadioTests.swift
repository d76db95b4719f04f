// Advertising and scanning: the commands for the controller, and the outcome of a start.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("LEHost: advertising and scanning")
struct LEHostGAPTests {
    private let first = HostTestbed.peers[0]
    private let data = hex("02 01 06")

    // MARK: Advertising

    @Test(
        "derives the type of advertising from the parameters, and names the peer by its plain address (7.8.5)",
        arguments: [
            (AdvertisingParameters(data: hex("02 01 06")), 0x00, .none),
            (AdvertisingParameters(data: hex("02 01 06"), scanResponse: hex("02 0A 00")), 0x00, .none),
            (
                AdvertisingParameters(data: hex("02 01 06"), scanResponse: hex("02 0A 00"), isConnectable: false),
                0x02, .none
            ), (AdvertisingParameters(data: hex("02 01 06"), isConnectable: false), 0x03, .none),
            (
                AdvertisingParameters(data: ByteBuffer(), directedTo: DeviceAddress(0x11, kind: .publicIdentity)), 0x04,
                DeviceAddress(0x11, kind: .public)
            ),
            (
                AdvertisingParameters(data: ByteBuffer(), directedTo: DeviceAddress(0x11, kind: .randomIdentity)), 0x04,
                DeviceAddress(0x11, kind: .random)
            ),
        ] as [(AdvertisingParameters, UInt8, DeviceAddress)]
    )
    func advertisingType(parameters: AdvertisingParameters, type: UInt8, peer: DeviceAddress) throws {
        let testbed = HostTestbed.started()
        testbed.host.startAdvertising(parameters) { _ in }
        testbed.run()
        let command = try testbed.controller.last(LESetAdvertisingParameters.self)
        #expect(command.type.rawValue == type && command.peer == peer)
    }

    @Test("fails to advertise immediately without a controller, and does not start with the next one")
    func withoutController() throws {
        let testbed = HostTestbed.started()
        testbed.controller.fail("unplugged")
        testbed.run()
        var failures: [LEHostError] = []
        testbed.host.startAdvertising(AdvertisingParameters(data: self.data)) { result in
            if case .failure(let error) = result { failures.append(error) }
        }
        testbed.run()
        #expect(failures == [.controllerLost])
    }

    @Test("sends the interval as the shortest and the longest one, and the data")
    func advertisingInterval() throws {
        let testbed = HostTestbed.started()
        let parameters = AdvertisingParameters(
            data: self.data,
            scanResponse: hex("02 0A 07"),
            interval: .milliseconds(50)
        )
        testbed.host.startAdvertising(parameters) { _ in }
        testbed.run()
        let command = try testbed.controller.last(LESetAdvertisingParameters.self)
        // In units of 0.625 ms.
        #expect(command.minimumInterval.rawValue == 80 && command.maximumInterval.rawValue == 80)
        #expect(command.ownAddressType.rawValue == 0)
        #expect(try testbed.controller.last(LESetAdvertisingData.self).data == hex("02 01 06"))
        #expect(try testbed.controller.last(LESetScanResponseData.self).data == hex("02 0A 07"))
    }

    /// Starts advertising; the outcomes are noted with a name.
    private func start(_ testbed: HostTestbed, _ octet: UInt8, _ ends: @escaping (String) -> Void) {
        testbed.host.startAdvertising(AdvertisingParameters(data: ByteBuffer(bytes: [2, 1, octet]))) { result in
            switch result {
            case .success: ends("\(octet) started")
            case .failure(let error): ends("\(octet) \(error)")
            }
        }
    }

    @Test("supersedes all but the last of several starts in one turn, in order")
    func severalStarts() {
        let testbed = HostTestbed.started()
        var ends: [String] = []
        for number in 0..<8 as Range<UInt8> { self.start(testbed, number) { ends.append($0) } }
        #expect(ends.isEmpty, "nothing is called re-entrantly")
        testbed.run()
        #expect(ends == (0..<7).map { "\($0) \(LEHostError.superseded)" } + ["7 started"])
    }

    @Test("supersedes a stopped start once, before the controller was asked and while it is", arguments: [false, true])
    func stoppedStart(isAsked: Bool) {
        let testbed = HostTestbed.started { if isAsked { $0.silent = [LESetAdvertisingData.opcode] } }
        var ends: [String] = []
        self.start(testbed, 6) { ends.append($0) }
        if isAsked { testbed.run() }
        testbed.host.stopAdvertising()
        #expect(ends.isEmpty, "nothing is called re-entrantly")
        testbed.run()
        #expect(ends == ["6 \(LEHostError.superseded)"])
        #expect(testbed.controller.takeCommands().count == (isAsked ? 2 : 0))
        testbed.run(.seconds(10))
        #expect(ends.count == 1 && !testbed.controller.takeCommands().contains(LESetAdvertisingEnable.opcode))
    }

    @Test(
        "fails a start with the refusal of any of its commands",
        arguments: [
            LESetAdvertisingParameters.opcode, LESetAdvertisingData.opcode, LESetScanResponseData.opcode,
            LESetAdvertisingEnable.opcode,
        ]
    )
    func refusedStart(opcode: HCIOpcode) {
        let testbed = HostTestbed.started { $0.refused[opcode] = .invalidParameters }
        var ends: [String] = []
        self.start(testbed, 6) { ends.append($0) }
        testbed.run()
        #expect(ends == ["6 \(LEHostError.refused(.invalidParameters))"])
        #expect(testbed.controller.takeCommands().last == opcode)
    }

    @Test("retries advertising that had no free link when a link ends, as long as there are others")
    func advertisingWithoutFreeLink() {
        for isRefusedAtLast in [false, true] {
            let testbed = HostTestbed.started()
            testbed.host.startAdvertising(AdvertisingParameters(data: self.data)) { _ in }
            testbed.run()
            testbed.controller.refused[LESetAdvertisingEnable.opcode] = .connectionLimitExceeded
            for handle in [0x40, 0x41] as [UInt16] { _ = testbed.acceptLink(handle) }
            testbed.run(.seconds(5))
            testbed.forget()
            testbed.controller.disconnect(0x41, reason: .remoteUserTerminated)
            testbed.run()
            #expect(testbed.controller.takeCommands().last == LESetAdvertisingEnable.opcode)
            if !isRefusedAtLast { testbed.controller.refused = [:] }
            testbed.controller.disconnect(0x40, reason: .remoteUserTerminated)
            testbed.run(.seconds(5))
            #expect(testbed.controller.takeCommands().filter { $0 == LESetAdvertisingEnable.opcode }.count == 1)
            // Without a link the host gives up, and reports it.
            #expect(testbed.host.radio.advertising.isWanted == !isRefusedAtLast)
            let end = "advertising ended: \(LEHostError.refused(.connectionLimitExceeded))"
            #expect(testbed.delegate.takeLines().contains(end) == isRefusedAtLast)
        }
    }

    @Test("enables directed advertising again after it has timed out")
    func directedAdvertisingRanOut() {
        let testbed = HostTestbed.started()
        testbed.host.startAdvertising(AdvertisingParameters(data: ByteBuffer(bytes: [2, 1, 6]))) { _ in }
        testbed.run()
        testbed.forget()
        testbed.controller.failConnection(.advertisingTimeout)
        testbed.run()
        #expect(testbed.controller.takeCommands() == [LESetAdvertisingEnable.opcode])
        #expect(testbed.delegate.takeLines().isEmpty)
    }

    // MARK: Scanning

    @Test("scans actively or passively, with or without a duplicate filter", arguments: [true, false], [true, false])
    func scanParameters(isActive: Bool, filtersDuplicates: Bool) throws {
        let testbed = HostTestbed.started()
        // The window is limited to the interval.
        for (interval, window, scanned) in [(30, 30, 48), (60, 30, 48), (30, 60, 48), (100, 90, 144)] {
            var parameters = ScanParameters(isActive: isActive, filtersDuplicates: filtersDuplicates)
            (parameters.interval, parameters.window) = (.milliseconds(Int64(interval)), .milliseconds(Int64(window)))
            testbed.host.startScanning(parameters)
            testbed.run()
            let command = try testbed.controller.last(LESetScanParameters.self)
            #expect(command.type.rawValue == (isActive ? 1 : 0) && command.window.rawValue == scanned)
            #expect(Int(command.interval.rawValue) == interval * 1_000 / 625)
        }
        let enable = try testbed.controller.last(LESetScanEnable.self)
        #expect(enable.isEnabled && enable.filterDuplicates.rawValue == (filtersDuplicates ? 1 : 0))
        testbed.host.stopScanning()
        testbed.run()
        #expect(try !testbed.controller.last(LESetScanEnable.self).isEnabled)
    }

    @Test("advertises, scans and connects with a random address if it has one, otherwise with the public one")
    func ownAddressType() throws {
        for address in [nil, DeviceAddress(0xC0DE_0000_0001, kind: .random)] {
            let testbed = HostTestbed(LEHostConfiguration(address: address))
            testbed.controller.address = DeviceAddress(0x00AA_BBCC_DDEE, kind: .public)
            testbed.start()
            testbed.host.startAdvertising(AdvertisingParameters(data: self.data)) { _ in }
            testbed.host.startScanning(ScanParameters())
            testbed.host.connect(to: self.first)
            testbed.run()
            let type: UInt8 = address == nil ? 0 : 1
            #expect(try testbed.controller.last(LESetAdvertisingParameters.self).ownAddressType.rawValue == type)
            #expect(try testbed.controller.last(LESetScanParameters.self).ownAddressType.rawValue == type)
            #expect(try testbed.controller.last(LECreateConnection.self).ownAddressType.rawValue == type)
            // The configured address counts, whatever the controller has.
            #expect(testbed.host.address == address ?? testbed.controller.address)
        }
    }
}
