// What a host asks of its controller for advertising, scanning and connecting: the parameters of the commands, and what
// becomes of a start that is not the last one.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Host: commands of Generic Access")
struct LEHostGAPTests {
    private let first = DeviceAddress(0xC000_0000_0001, kind: .random)
    private let second = DeviceAddress(0xC000_0000_0002, kind: .random)
    private let data = hex("02 01 06")

    // MARK: Advertising

    @Test("The type of advertising follows from what is asked for (Vol 4, Part E, 7.8.5)")
    func advertisingType() throws {
        let response = hex("02 0A 00")
        let cases: [(AdvertisingParameters, UInt8)] = [
            (AdvertisingParameters(data: self.data), 0x00),
            (AdvertisingParameters(data: self.data, scanResponse: response), 0x00),
            (AdvertisingParameters(data: self.data, scanResponse: response, isConnectable: false), 0x02),
            (AdvertisingParameters(data: self.data, isConnectable: false), 0x03),
            (AdvertisingParameters(data: self.data, directedTo: self.first), 0x04),
        ]
        for (parameters, type) in cases {
            let testbed = HostTestbed.started()
            testbed.host.startAdvertising(parameters) { _ in }
            testbed.run()
            #expect(try testbed.controller.last(LESetAdvertisingParameters.self).type.rawValue == type)
        }
    }

    @Test("The interval of advertising is the shortest and the longest one that the controller gets")
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
        #expect(command.peer == DeviceAddress.none && command.ownAddressType.rawValue == 0)
        #expect(try testbed.controller.last(LESetAdvertisingData.self).data == hex("02 01 06"))
        #expect(try testbed.controller.last(LESetScanResponseData.self).data == hex("02 0A 07"))
    }

    @Test(
        "Directed advertising names the peer by its address, also where that was resolved by a controller",
        arguments: [(DeviceAddress.Kind.publicIdentity, DeviceAddress.Kind.public), (.randomIdentity, .random)]
    )
    func directedToIdentity(kind: DeviceAddress.Kind, plain: DeviceAddress.Kind) throws {
        let testbed = HostTestbed.started()
        let peer = DeviceAddress(0xC000_0000_0003, kind: kind)
        testbed.host.startAdvertising(AdvertisingParameters(data: ByteBuffer(), directedTo: peer)) { _ in }
        testbed.run()
        let command = try testbed.controller.last(LESetAdvertisingParameters.self)
        #expect(command.peer == DeviceAddress(0xC000_0000_0003, kind: plain))
    }

    @Test("Without a resolving list a bonded peer is named by its identity, so that it need not resolve anything")
    func directedWithoutList() throws {
        for hasList in [true, false] {
            let device = PrivateHost(hasList: hasList)
            device.host.bondedPeers = [PrivateHost.peer]
            var ends: [String] = []
            let parameters = AdvertisingParameters(data: ByteBuffer(), directedTo: PrivateHost.peer.address)
            device.host.startAdvertising(parameters) { result in
                switch result {
                case .success: ends.append("started")
                case .failure(let error): ends.append(error == .addressNotResolvedByPeer ? "not resolved" : "failed")
                }
            }
            #expect(ends.isEmpty, "nothing is called re-entrantly")
            device.testbed.run()
            #expect(ends == [hasList ? "not resolved" : "started"])
            #expect(device.takeSteps().contains("advertising") == !hasList)
        }
    }

    @Test("Of several starts in one turn all but the last are superseded, in their order")
    func severalStarts() {
        let testbed = HostTestbed.started()
        var ends: [String] = []
        for number in 0..<8 as Range<UInt8> {
            let parameters = AdvertisingParameters(data: ByteBuffer(bytes: [2, 1, number]))
            testbed.host.startAdvertising(parameters) { result in
                switch result {
                case .success: ends.append("started \(number)")
                case .failure(let error): ends.append(error == .superseded ? "superseded \(number)" : "failed")
                }
            }
        }
        testbed.run()
        #expect(ends == (0..<7).map { "superseded \($0)" } + ["started 7"])
    }

    @Test("A start that is stopped is superseded, before the controller was asked and while it is asked, once")
    func stoppedStart() {
        for isAsked in [false, true] {
            let testbed = HostTestbed.started { if isAsked { $0.silent = [LESetAdvertisingData.opcode] } }
            var ends: [LEHostError?] = []
            testbed.host.startAdvertising(AdvertisingParameters(data: self.data)) { result in
                if case .failure(let error) = result { ends.append(error) } else { ends.append(nil) }
            }
            if isAsked { testbed.run() }
            testbed.host.stopAdvertising()
            #expect(ends.isEmpty, "nothing is called re-entrantly")
            testbed.run()
            #expect(ends == [.superseded])
            #expect(testbed.controller.takeCommands().count == (isAsked ? 2 : 0))
            testbed.run(.seconds(10))
            #expect(ends == [.superseded])
            #expect(!testbed.controller.takeCommands().contains(LESetAdvertisingEnable.opcode))
        }
    }

    @Test("A refusal of each command is that of the start, and what it was is told")
    func refusedStart() {
        let opcodes = [
            LESetAdvertisingParameters.opcode, LESetAdvertisingData.opcode, LESetScanResponseData.opcode,
            LESetAdvertisingEnable.opcode,
        ]
        for opcode in opcodes {
            let testbed = HostTestbed.started { $0.refused[opcode] = .invalidParameters }
            var ends: [LEHostError?] = []
            testbed.host.startAdvertising(AdvertisingParameters(data: self.data)) { result in
                if case .failure(let error) = result { ends.append(error) } else { ends.append(nil) }
            }
            testbed.run()
            #expect(ends == [.refused(.invalidParameters)], "\(opcode)")
            #expect(testbed.controller.takeCommands().last == opcode)
        }
    }

    @Test("Advertising for which no link is free is tried again when one has ended, as long as there are others")
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
            #expect(testbed.controller.takeCommands() == [LESetAdvertisingEnable.opcode])
            if !isRefusedAtLast { testbed.controller.refused = [:] }
            testbed.controller.disconnect(0x40, reason: .remoteUserTerminated)
            testbed.run(.seconds(5))
            #expect(testbed.controller.takeCommands() == [LESetAdvertisingEnable.opcode])
            // Without a link there is nothing to wait for: it is given up.
            #expect(testbed.host.advertiser.isWanted == !isRefusedAtLast)
        }
    }

    // MARK: Scanning

    @Test(
        "A scan window longer than the interval is as long as the interval",
        arguments: [(30, 30, 48, 48), (60, 30, 96, 48), (30, 60, 48, 48), (100, 90, 160, 144)]
            as [(Int64, Int64, UInt16, UInt16)]
    )
    func scanWindow(interval: Int64, window: Int64, rawInterval: UInt16, rawWindow: UInt16) throws {
        let testbed = HostTestbed.started()
        testbed.host.startScanning(
            ScanParameters(interval: .milliseconds(interval), window: .milliseconds(window))
        )
        testbed.run()
        let command = try testbed.controller.last(LESetScanParameters.self)
        #expect(command.interval.rawValue == rawInterval && command.window.rawValue == rawWindow)
    }

    @Test("A scan is active or passive, with a duplicate filter or without, as it was asked for")
    func scanParameters() throws {
        for isActive in [true, false] {
            for filtersDuplicates in [true, false] {
                let testbed = HostTestbed.started()
                testbed.host.startScanning(
                    ScanParameters(isActive: isActive, filtersDuplicates: filtersDuplicates)
                )
                testbed.run()
                #expect(try testbed.controller.last(LESetScanParameters.self).type.rawValue == (isActive ? 1 : 0))
                let enable = try testbed.controller.last(LESetScanEnable.self)
                #expect(enable.isEnabled && enable.filterDuplicates.rawValue == (filtersDuplicates ? 1 : 0))
                testbed.host.stopScanning()
                testbed.run()
                #expect(try !testbed.controller.last(LESetScanEnable.self).isEnabled)
            }
        }
        // What nothing is said of: active, every report, and the radio listens all the time.
        let usual = ScanParameters()
        #expect(usual.isActive && !usual.filtersDuplicates)
        #expect(usual.interval == .milliseconds(30) && usual.window == .milliseconds(30))
    }

    @Test("A host with a random address advertises, scans and connects under it, another under the public one")
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
            // The address that was chosen counts, whatever the controller has.
            #expect(testbed.host.address == address ?? testbed.controller.address)
        }
    }

    @Test("The address of a host is known while its controller is ready, and at no other time")
    func address() {
        let address = DeviceAddress(0xC0DE_0000_0001, kind: .random)
        let testbed = HostTestbed(LEHostConfiguration(address: address))
        #expect(testbed.host.address == nil && testbed.host.identityAddress == address)
        testbed.host.attach(to: testbed.controller)
        #expect(testbed.host.state == .starting && testbed.host.address == nil)
        testbed.run()
        #expect(testbed.host.address == address)
        testbed.host.detach()
        #expect(testbed.host.address == nil && testbed.host.identityAddress == address)
    }

    // MARK: Connecting

    @Test("One device is initiated to directly, several by the accept list with the parameters of the first one")
    func createConnection() throws {
        let slow = ConnectionParameters(
            minimumInterval: ConnectionInterval(rawValue: 80),
            maximumInterval: ConnectionInterval(rawValue: 90),
            latency: 3,
            supervisionTimeout: SupervisionTimeout(rawValue: 400)
        )
        let testbed = HostTestbed.started()
        testbed.host.connect(to: self.first, parameters: slow)
        testbed.run()
        var command = try testbed.controller.last(LECreateConnection.self)
        #expect(command.filterPolicy.rawValue == 0 && command.peer == self.first && command.parameters == slow)
        // 30 ms, in units of 0.625 ms: the radio listens all the time.
        #expect(command.scanInterval.rawValue == 48 && command.scanWindow.rawValue == 48)
        testbed.controller.scansOrInitiates()
        testbed.host.connect(to: self.second)
        testbed.run()
        command = try testbed.controller.last(LECreateConnection.self)
        #expect(command.filterPolicy.rawValue == 1 && command.peer == DeviceAddress.none && command.parameters == slow)
        testbed.host.stopConnecting(to: self.first)
        testbed.run()
        command = try testbed.controller.last(LECreateConnection.self)
        // 30 ms without latency, and 720 ms: what Apple's devices begin with.
        #expect(command.peer == self.second && command.parameters.minimumInterval.rawValue == 24)
        #expect(command.parameters.maximumInterval.rawValue == 24 && command.parameters.latency == 0)
        #expect(command.parameters.supervisionTimeout.rawValue == 72)
    }

    @Test("A pending connection that is stopped is told to have been pending, and a link that was made first stays")
    func stopConnecting() {
        let testbed = HostTestbed.started()
        testbed.connect(0x40, self.first)
        testbed.host.connect(to: self.second)
        testbed.run()
        testbed.forget()
        #expect(!testbed.host.stopConnecting(to: self.first))
        testbed.run()
        #expect(testbed.controller.takeCommands() == [])
        #expect(testbed.host.stopConnecting(to: self.second))
        #expect(!testbed.host.stopConnecting(to: self.second))
        #expect(testbed.host.connectionParameters.isEmpty)
        testbed.run()
        #expect(testbed.controller.takeCommands() == [LECreateConnectionCancel.opcode])
        #expect(testbed.host.links.map(\.peer) == [self.first])
    }
}
