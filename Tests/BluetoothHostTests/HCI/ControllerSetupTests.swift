// The setup of a controller: its commands, the effects of the answers, and failures. Only this file lists whole setups.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("LEHost: setup")
struct LEHostSetupTests {
    private static let address = DeviceAddress(0xC000_0000_0007, kind: .random)

    /// The commands of the start, with a controller that lists all commands but some.
    private func commands(
        without missing: [any HCICommand.Type] = [],
        features: LEFeatures = LEFeatures(),
        configuration: LEHostConfiguration = LEHostConfiguration()
    ) -> [HCIOpcode] {
        let testbed = HostTestbed.attached(configuration) {
            $0.features = features
            $0.listsCommands(without: missing)
        }
        #expect(testbed.host.state == .ready)
        return testbed.controller.takeCommands()
    }

    @Test("resets the controller, reads its properties, then configures it, without re-entrant calls")
    func order() {
        let testbed = HostTestbed(LEHostConfiguration(address: Self.address))
        testbed.host.attach(to: testbed.controller)
        #expect(testbed.delegate.lines.isEmpty)
        testbed.run()
        #expect(
            testbed.controller.commands == [
                Reset.opcode, ReadLocalVersionInformation.opcode, ReadLocalSupportedCommands.opcode,
                ReadLocalSupportedFeatures.opcode, ReadBDADDR.opcode, LEReadLocalSupportedFeatures.opcode,
                LEReadBufferSize.opcode, LEReadFilterAcceptListSize.opcode, LEReadSupportedStates.opcode,
                SetEventMask.opcode, LESetEventMask.opcode, LESetRandomAddress.opcode,
            ]
        )
        #expect(testbed.delegate.lines == ["state starting", "state ready"])
    }

    // MARK: Optional steps

    private static let flowControl: [any HCICommand.Type] = [
        HostBufferSize.self, SetControllerToHostFlowControl.self, HostNumberOfCompletedPackets.self,
    ]

    @Test(
        "sends an optional command only to a controller that has the feature and lists the commands for it",
        arguments: [
            (HostBufferSize.self, LEFeatures(), Self.flowControl),
            (SetControllerToHostFlowControl.self, LEFeatures(), Self.flowControl),
            (LEReadFilterAcceptListSize.self, LEFeatures(), [LEReadFilterAcceptListSize.self]),
            (
                LEWriteSuggestedDefaultDataLength.self, .dataPacketLengthExtension,
                [LEWriteSuggestedDefaultDataLength.self]
            ),
            (
                LEReadResolvingListSize.self, .privacy,
                [LEReadResolvingListSize.self, LEAddDeviceToResolvingList.self, LESetAddressResolutionEnable.self]
            ),
            // Page 2 has one event that is needed, that of LE Ping.
            (SetEventMaskPage2.self, .ping, [SetEventMaskPage2.self]),
        ] as [(any HCICommand.Type, LEFeatures, [any HCICommand.Type])]
    )
    func optional(command: any HCICommand.Type, feature: LEFeatures, needed: [any HCICommand.Type]) {
        let configuration = LEHostConfiguration(limitsReceivedData: true)
        func isSent(_ features: LEFeatures, without missing: [any HCICommand.Type] = []) -> Bool {
            self.commands(without: missing, features: features, configuration: configuration).contains(command.opcode)
        }
        #expect(isSent(feature) && isSent([]) == feature.isEmpty)
        for missing in needed { #expect(!isSent(feature, without: [missing]), "\(missing)") }
    }

    @Test("turns on flow control to the host only if configured, and ignores a list of commands without Reset")
    func unasked() {
        #expect(!self.commands().contains(HostBufferSize.opcode))
        let opcode = LEReadFilterAcceptListSize.opcode
        #expect(self.commands(without: [LEReadFilterAcceptListSize.self, Reset.self]).contains(opcode))
    }

    @Test("gives the controller the host's buffers before it turns on flow control", arguments: [27, 251, 400])
    func hostBufferSize(length: UInt16) throws {
        let testbed = HostTestbed.attached(LEHostConfiguration(limitsReceivedData: true)) { $0.dataLength = length }
        let commands = testbed.controller.takeCommands()
        let index = try #require(commands.firstIndex(of: HostBufferSize.opcode))
        #expect(commands[index + 1] == SetControllerToHostFlowControl.opcode)
        let size = try testbed.controller.last(HostBufferSize.self)
        #expect(size.aclDataPacketLength == max(length, 251) && size.aclDataPacketCount == 256)
        #expect(testbed.host.limitsReceivedData)
    }

    @Test("suggests the longest packets")
    func suggestedDataLength() throws {
        let testbed = HostTestbed.started { $0.features = .dataPacketLengthExtension }
        let command = try testbed.controller.last(LEWriteSuggestedDefaultDataLength.self)
        #expect(command == LEWriteSuggestedDefaultDataLength(transmitOctets: 251, transmitTime: 2120))
    }

    @Test("tells a dual-mode controller that the host supports LE before it reads its buffers")
    func leHostSupport() throws {
        for (features, isSent) in [
            ([.leSupported], true), ([.leSupported, .bredrNotSupported], false), ([], false),
        ] as [(LMPFeatures, Bool)] {
            let testbed = HostTestbed.attached {
                $0.linkManagerFeatures = features
                $0.refused[WriteLEHostSupport.opcode] = .commandDisallowed
            }
            #expect(testbed.host.state == .ready, "a controller that refuses it may not need it")
            #expect(testbed.controller.commands.contains(WriteLEHostSupport.opcode) == isSent)
            guard isSent else { continue }
            let command = try testbed.controller.last(WriteLEHostSupport.self)
            #expect(command.isLESupported && command.unused == 0)
        }
    }

    // MARK: Answers

    @Test("sets a random address if one is configured, or as a fallback for a controller without a public one")
    func randomAddress() {
        let publicAddress = DeviceAddress(0x1234_5678, kind: .public)
        // Bumble's controllers answer Read BD_ADDR with zeros: two of them would take each other for the same device.
        for (configuration, controllerAddress, isSet) in [
            (LEHostConfiguration(), publicAddress, false), (LEHostConfiguration(), DeviceAddress.none, false),
            (LEHostConfiguration(address: Self.address), publicAddress, true),
            (LEHostConfiguration(fallbackAddress: Self.address), publicAddress, false),
            (LEHostConfiguration(fallbackAddress: Self.address), DeviceAddress.none, true),
            (LEHostConfiguration(fallbackAddress: Self.address), DeviceAddress(0x5AAD, kind: .public), true),
        ] {
            let testbed = HostTestbed.attached(configuration) { $0.address = controllerAddress }
            #expect(testbed.controller.commands.contains(LESetRandomAddress.opcode) == isSet)
            let address: DeviceAddress? = controllerAddress == DeviceAddress.none ? nil : controllerAddress
            #expect(testbed.host.address == (isSet ? Self.address : address))
        }
    }

    @Test("knows its identity address when the controller is ready, and that of the next controller")
    func ownIdentity() {
        let testbed = HostTestbed()
        for address in [1, 2] as [UInt64] {
            let controller = ScriptedController(eventLoop: testbed.loop)
            controller.address = DeviceAddress(address, kind: .public)
            testbed.host.attach(to: controller)
            #expect(testbed.host.address == nil)
            testbed.run()
            #expect(testbed.host.address == controller.address)
            #expect(testbed.host.security.identities.address == controller.address)
            testbed.host.detach()
        }
    }

    @Test("uses the buffers shared with BR/EDR if LE has no separate ones (Vol 4, Part E, 7.8.2)")
    func buffers() {
        let cases: [(le: (UInt16, UInt8), shared: (UInt16, UInt16), used: (Int, Int))] = [
            ((27, 1), (1_021, 9), (27, 1)), ((251, 8), (1_021, 9), (251, 8)), ((0, 8), (1_021, 9), (1_021, 9)),
            ((251, 0), (1_021, 9), (1_021, 9)), ((0, 0), (339, 1), (339, 1)), ((0, 0), (339, 0), (27, 1)),
        ]
        for (le, shared, used) in cases {
            let testbed = HostTestbed.started {
                ($0.dataLength, $0.packetCount) = le
                $0.sharedBuffers = shared
            }
            #expect(testbed.host.traffic.dataLength == used.0, "\(le) \(shared)")
            #expect(testbed.host.traffic.credits == used.1, "\(le) \(shared)")
        }
    }

    @Test("takes the sizes of lists from the controller, and 0 if it does not report them")
    func listSizes() {
        for size in [0, 1, 200] as [UInt8] {
            let testbed = HostTestbed.started {
                $0.features = .privacy
                ($0.acceptListSize, $0.resolvingListSize) = (size, size)
            }
            #expect(testbed.host.controller.information.acceptListSize == Int(size))
            #expect(testbed.host.controller.information.resolvingListSize == Int(size))
        }
        let refusing = HostTestbed.started { $0.refused[LEReadFilterAcceptListSize.opcode] = .unknownCommand }
        let information = refusing.host.controller.information
        #expect(information.acceptListSize == 0 && information.resolvingListSize == 0)
    }

    // MARK: Failures

    @Test("uses a controller that refuses everything but Reset, its address and the event masks")
    func poorController() {
        let opcodes = [
            ReadLocalSupportedCommands.opcode, LEReadLocalSupportedFeatures.opcode,
            LEReadBufferSize.opcode, ReadBufferSize.opcode, LEReadFilterAcceptListSize.opcode,
            ReadLocalVersionInformation.opcode, ReadLocalSupportedFeatures.opcode,
        ]
        let testbed = HostTestbed.attached {
            $0.address = DeviceAddress(0x00AA_BBCC_DDEE, kind: .public)
            for opcode in opcodes { $0.refused[opcode] = .unknownCommand }
        }
        #expect(testbed.host.state == .ready)
        #expect(testbed.host.traffic.dataLength == 27 && testbed.host.traffic.credits == 1)
    }

    @Test("continues after a command that is never answered")
    func unansweredCommand() {
        let testbed = HostTestbed.started { $0.silent = [ReadLocalSupportedCommands.opcode] }
        testbed.run(.seconds(3))
        #expect(testbed.host.state == .ready)
    }

    @Test(
        "does not use a controller that refuses Reset",
        arguments: [
            (.hardwareFailure, "the controller refuses HCI Reset: \(HCIErrorCode.hardwareFailure)"),
            (
                .unknownCommand,
                "the controller lacks its firmware: install the firmware package of your system, such as "
                    + "linux-firmware, then unplug it and plug it in again; dmesg names the missing file"
            ),
            (
                .connectionRejectedLimitedResources,
                "what serves the controller has no resources for another host; end a program that uses it, "
                    + "or raise its limit"
            ),
        ] as [(HCIErrorCode, String)]
    )
    func refusedReset(status: HCIErrorCode, reason: String) {
        let testbed = HostTestbed.attached { $0.refused[Reset.opcode] = status }
        #expect(testbed.host.state == .failed(reason))
        #expect(testbed.controller.takeCommands() == [Reset.opcode] && testbed.controller.isClosed)
    }

    @Test(
        "starts a controller that misses packets at first with the next Reset",
        arguments: [(300, 1_000), (1_001, 4_000), (3_999, 4_000)] as [(Int64, Int64)]
    )
    func boots(deaf: Int64, ready: Int64) {
        let testbed = HostTestbed.started { $0.isDead = true }
        testbed.run(.milliseconds(deaf))
        testbed.controller.isDead = false
        testbed.run(.milliseconds(ready - deaf - 1))
        #expect(testbed.host.state == .starting)
        testbed.run(.milliseconds(1))
        #expect(testbed.host.state == .ready)
    }

    @Test("waits until a slow controller has answered every Reset, and takes no answer for a spontaneous reset")
    func slowReset() {
        let testbed = HostTestbed()
        testbed.controller.silent = [Reset.opcode]
        testbed.controller.whenCommanded = { controller, opcode in
            guard opcode == Reset.opcode else { return }
            controller.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(3_500)) {
                controller.deliver(CommandComplete.packet(Reset.self, .init(status: .success)))
            }
        }
        testbed.host.attach(to: testbed.controller)
        testbed.run(.milliseconds(4_500))
        #expect(testbed.controller.takeCommands() == [Reset.opcode, Reset.opcode])
        testbed.run(.milliseconds(250))
        #expect(testbed.host.state == .ready)
        testbed.run(.seconds(20))
        #expect(testbed.host.state == .ready)
    }

    @Test("fails if the controller refuses to report events", arguments: [SetEventMask.opcode, LESetEventMask.opcode])
    func refusedEventMask(opcode: HCIOpcode) {
        let testbed = HostTestbed.attached { $0.refused[opcode] = .invalidParameters }
        let name = opcode == SetEventMask.opcode ? "Set Event Mask" : "LE Set Event Mask"
        let reason = "the controller refuses \(name), and reports nothing without it: \(HCIErrorCode.invalidParameters)"
        #expect(testbed.host.state == .failed(reason))
    }

    @Test(
        "does not support a controller without LE, by its features or its version",
        arguments: [(true, .v4_0), (false, CoreVersion(rawValue: 5))] as [(Bool, CoreVersion)]
    )
    func withoutLE(tellsFeatures: Bool, version: CoreVersion) {
        let testbed = HostTestbed.attached {
            $0.linkManagerFeatures = []
            if !tellsFeatures { $0.refused[ReadLocalSupportedFeatures.opcode] = .unknownCommand }
            $0.version.hciVersion = version
            $0.refused[LEReadLocalSupportedFeatures.opcode] = .unknownCommand
        }
        #expect(testbed.host.state == .unsupported("the controller has no Bluetooth LE: use another adapter"))
    }

    @Test(
        "names the missing firmware of a chip in its boot loader, if its manufacturer is known",
        arguments: [(2, " with intel/ibt-*"), (0xFFFF, "")]
    )
    func bootLoader(company: UInt16, files: String) {
        let testbed = HostTestbed()
        for opcode in HCICommandTable.entries.map({ $0.command.opcode }) {
            guard opcode != Reset.opcode, opcode != ReadLocalVersionInformation.opcode else { continue }
            testbed.controller.refused[opcode] = .unknownCommand
        }
        testbed.controller.version.company = company
        testbed.host.attach(to: testbed.controller)
        testbed.run()
        #expect(
            testbed.host.state
                == .failed(
                    "the controller lacks its firmware: install the firmware package of your system, such as "
                        + "linux-firmware\(files), then unplug it and plug it in again; dmesg names the missing file"
                )
        )
    }

    @Test("fails after 10 s without an answer to Reset, and can start the next controller")
    func deadController() {
        let testbed = HostTestbed.started { $0.isDead = true }
        testbed.run(.milliseconds(9_999))
        #expect(testbed.host.state == .starting)
        testbed.run(.milliseconds(2))
        #expect(
            testbed.host.state == .failed("the controller does not answer HCI Reset; check that it is connected")
        )
        #expect(testbed.controller.isClosed)
        let next = testbed.attachAnother()
        #expect(next.commands.first == Reset.opcode && testbed.host.state == .ready)
    }

    @Test("gives up a controller that answers only Reset after the time limits of two commands")
    func answersResetAlone() {
        let testbed = HostTestbed.started { $0.answersOnly = [Reset.opcode] }
        #expect(testbed.host.state == .starting)
        testbed.run(.seconds(4) + .milliseconds(10))
        guard case .failed(let reason) = testbed.host.state else {
            Issue.record("the host is \(testbed.host.state)")
            return
        }
        #expect(reason.hasPrefix("the controller has stopped answering"))
    }

    @Test("does not take a second answer to Reset during the setup for a spontaneous reset")
    func resetAnsweredTwice() {
        let testbed = HostTestbed.attached {
            $0.whenCommanded = { controller, opcode in
                guard opcode == Reset.opcode else { return }
                controller.deliver(CommandComplete.packet(Reset.self, .init(status: .success)))
            }
        }
        #expect(testbed.host.state == .ready && testbed.delegate.lines == ["state starting", "state ready"])
    }

    @Test("refuses commands without a controller in a later turn, and keeps none for the next one")
    func withoutController() {
        let testbed = HostTestbed()
        var result: Result<ReadBDADDR.ReturnParameters, LEHostError>?
        testbed.host.controller.send(ReadBDADDR()) { result = $0 }
        #expect(result == nil)
        testbed.run()
        #expect(result == .failure(.controllerLost))
        // Nothing is left for the next controller.
        testbed.attach()
        #expect(testbed.controller.commands.first == Reset.opcode)
    }
}
