// What commands, answers and events hold where who makes one leaves parameters to their defaults, as the octets that are
// sent then (Vol 4, Part E, 7).

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHCI

@Suite("Default values of parameters")
struct DefaultValuesTests {
    private let handle = ConnectionHandle(rawValue: 0x40)
    private let set = AdvertisingHandle(rawValue: 1)

    private func check(
        _ value: some HCIParameters,
        _ hex: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var bytes = ByteBuffer()
        value.encode(into: &bytes)
        #expect(bytes.hex == normalized(hex), "\(type(of: value))", sourceLocation: sourceLocation)
    }

    private func zeros(_ count: Int) -> String { String(repeating: "00", count: count) }

    @Test("Answers say success, and that there is nothing")
    func answers() {
        self.check(StatusReturnParameters(), "00")
        self.check(NoReturnParameters(), "00")
        self.check(LinkReturnParameters(), "00 00 00")
        self.check(ReadTransmitPowerLevel.ReturnParameters(), self.zeros(4))
        self.check(ReadLEHostSupport.ReturnParameters(), self.zeros(3))
        self.check(ReadAuthenticatedPayloadTimeout.ReturnParameters(), self.zeros(5))
        self.check(ReadLocalVersionInformation.ReturnParameters(), self.zeros(9))
        self.check(ReadLocalSupportedCommands.ReturnParameters(), self.zeros(65))
        self.check(ReadLocalSupportedFeatures.ReturnParameters(), self.zeros(9))
        self.check(ReadBufferSize.ReturnParameters(), self.zeros(8))
        self.check(ReadBDADDR.ReturnParameters(), self.zeros(7))
        self.check(LEReadChannelMap.ReturnParameters(), self.zeros(8))
        self.check(LEReadBufferSize.ReturnParameters(), self.zeros(4))
        self.check(LEReadLocalSupportedFeatures.ReturnParameters(), self.zeros(9))
        self.check(LEEncrypt.ReturnParameters(), self.zeros(17))
        self.check(LERand.ReturnParameters(), self.zeros(9))
        self.check(LEReadSupportedStates.ReturnParameters(), self.zeros(9))
        self.check(LEReadTransmitPower.ReturnParameters(), self.zeros(3))
        self.check(LEReadRFPathCompensation.ReturnParameters(), self.zeros(5))
        self.check(LEReadBufferSizeV2.ReturnParameters(), self.zeros(7))
        self.check(LEReadSuggestedDefaultDataLength.ReturnParameters(), self.zeros(5))
        self.check(LEReadMaximumDataLength.ReturnParameters(), self.zeros(9))
        self.check(LEReadMaximumAdvertisingDataLength.ReturnParameters(), self.zeros(3))
        self.check(LEReadNumberOfSupportedAdvertisingSets.ReturnParameters(), self.zeros(2))
        self.check(LESetExtendedAdvertisingParameters.ReturnParameters(), self.zeros(2))
        self.check(LEReadFilterAcceptListSize.ReturnParameters(), self.zeros(2))
        self.check(LEReadResolvingListSize.ReturnParameters(), self.zeros(2))
        self.check(LEReadPeerResolvableAddress.ReturnParameters(), self.zeros(7))
        self.check(LEReadLocalResolvableAddress.ReturnParameters(), self.zeros(7))
    }

    @Test("Answers without a strength or a power say so with 127, and a link is on LE 1M")
    func absent() {
        self.check(LEReadAdvertisingChannelTxPower.ReturnParameters(), "00 7F")
        self.check(ReadRSSI.ReturnParameters(), "00 00 00 7F")
        self.check(LEReadPHY.ReturnParameters(), "00 00 00 01 01")
    }

    @Test("Commands about links")
    func links() {
        self.check(Disconnect(handle: self.handle), "40 00 13")
        self.check(ReadTransmitPowerLevel(handle: self.handle), "40 00 00")
        self.check(LERemoteConnectionParameterRequestNegativeReply(handle: self.handle), "40 00 3B")
        self.check(
            LEEnableEncryption(handle: self.handle, longTermKey: Octets16(high: 0, low: 1)),
            "40 00" + self.zeros(8) + self.zeros(2) + "01" + self.zeros(15)
        )
        self.check(LEGenerateDHKeyV2(x: .zero, y: .zero), self.zeros(65))
        self.check(
            LESetPHY(handle: self.handle, preference: PHYPreference(transmitter: nil, receiver: nil)),
            "40 00 03 00 00 00 00"
        )
        self.check(
            ConnectionParameters(
                minimumInterval: ConnectionInterval(rawValue: 6),
                maximumInterval: ConnectionInterval(rawValue: 7),
                supervisionTimeout: SupervisionTimeout(rawValue: 8)
            ),
            "06 00 07 00 00 00 08 00 00 00 00 00"
        )
        self.check(HostBufferSize(aclDataPacketLength: 251, aclDataPacketCount: 2), "FB 00 00 02 00 00 00")
        self.check(WriteLEHostSupport(isLESupported: true), "01 00")
    }

    @Test("Commands of advertising: undirected, connectable, on all channels, from the public address, for all devices")
    func advertising() {
        self.check(
            LESetAdvertisingParameters(
                minimumInterval: AdvertisingInterval(rawValue: 0x20),
                maximumInterval: AdvertisingInterval(rawValue: 0x30)
            ),
            "20 00 30 00 00 00 00" + self.zeros(6) + "07 00"
        )
        let parameters = LESetExtendedAdvertisingParameters(
            advertisingHandle: self.set,
            properties: [],
            minimumInterval: ExtendedAdvertisingInterval(rawValue: 0x20),
            maximumInterval: ExtendedAdvertisingInterval(rawValue: 0x30)
        )
        let octets = "01 00 00 20 00 00 30 00 00 07 00 00" + self.zeros(6) + "00 7F 01 00 01 00 00"
        self.check(parameters, octets)
        self.check(LESetExtendedAdvertisingParametersV2(parameters: parameters), octets + "00 00")
        self.check(LESetExtendedAdvertisingData(advertisingHandle: self.set, data: ByteBuffer()), "01 03 01 00")
        self.check(LESetExtendedScanResponseData(advertisingHandle: self.set, data: ByteBuffer()), "01 03 01 00")
        self.check(
            LESetExtendedAdvertisingEnable(
                isEnabled: true,
                sets: [LESetExtendedAdvertisingEnable.AdvertisingSet(handle: self.set)]
            ),
            "01 01 01 00 00 00"
        )
    }

    @Test("Commands of scanning and initiating: from the public address, for all devices, without a limit or a filter")
    func scanning() {
        let interval = ScanInterval(rawValue: 0x10)
        self.check(LESetScanParameters(type: .active, interval: interval, window: interval), "01 10 00 10 00 00 00")
        self.check(LESetScanEnable(isEnabled: true), "01 00")
        let extended = ExtendedScanInterval(rawValue: 0x10)
        self.check(
            LESetExtendedScanParameters(
                le1M: LESetExtendedScanParameters.PHYParameters(type: .active, interval: extended, window: extended)
            ),
            "00 00 01 01 10 00 10 00"
        )
        self.check(LESetExtendedScanEnable(isEnabled: true), "01 00 00 00 00 00")
        let parameters = ConnectionParameters(
            minimumInterval: ConnectionInterval(rawValue: 6),
            maximumInterval: ConnectionInterval(rawValue: 7),
            supervisionTimeout: SupervisionTimeout(rawValue: 8)
        )
        let octets = "06 00 07 00 00 00 08 00 00 00 00 00"
        self.check(
            LECreateConnection(scanInterval: interval, scanWindow: interval, parameters: parameters),
            "10 00 10 00 00 00" + self.zeros(6) + "00" + octets
        )
        self.check(
            LEExtendedCreateConnection(
                le1M: LEExtendedCreateConnection.PHYParameters(
                    scanInterval: extended,
                    scanWindow: extended,
                    parameters: parameters
                )
            ),
            "00 00 00" + self.zeros(6) + "01 10 00 10 00" + octets
        )
    }

    @Test("Events say success, and count on one command and on the worst clock")
    func events() {
        self.check(CommandComplete(opcode: Reset.opcode), "01 03 0C")
        self.check(CommandStatus(opcode: Reset.opcode), "00 01 03 0C")
        #expect(CommandComplete(Reset.self, StatusReturnParameters()).numberOfCommandPackets == 1)
        #expect(
            CommandComplete.packet(Reset.self, StatusReturnParameters()).bytes.hex == "04 0E 04 01 03 0C 00"
        )
        self.check(DisconnectionComplete(handle: self.handle, reason: .remoteUserTerminated), "00 40 00 13")
        self.check(EncryptionChange(handle: self.handle, encryption: .on), "00 40 00 01")
        self.check(EncryptionChangeV2(handle: self.handle, encryption: .on, keySize: 16), "00 40 00 01 10")
        self.check(EncryptionKeyRefreshComplete(handle: self.handle), "00 40 00")
        self.check(
            ReadRemoteVersionInformationComplete(handle: self.handle, version: .v5_0, company: 1, subversion: 2),
            "00 40 00 09 01 00 02 00"
        )
        self.check(LEReadRemoteFeaturesComplete(handle: self.handle, features: []), "00 40 00" + self.zeros(8))
        self.check(LEPHYUpdateComplete(handle: self.handle, transmitter: .le2M, receiver: .le1M), "00 40 00 02 01")
        self.check(LEReadLocalP256PublicKeyComplete(), self.zeros(65))
        self.check(LEGenerateDHKeyComplete(), self.zeros(33))
        self.check(
            LEAdvertisingSetTerminated(advertisingHandle: self.set, handle: self.handle, completedEvents: 3),
            "00 01 40 00 03"
        )
        self.check(
            LEConnectionUpdateComplete(
                handle: self.handle,
                interval: ConnectionInterval(rawValue: 6),
                latency: 1,
                supervisionTimeout: SupervisionTimeout(rawValue: 10)
            ),
            "00 40 00 06 00 01 00 0A 00"
        )
    }

    @Test("Events of new links say that nothing was resolved, and that no set and no train has become a link")
    func connections() {
        let (interval, timeout) = (ConnectionInterval(rawValue: 6), SupervisionTimeout(rawValue: 10))
        self.check(
            LEConnectionComplete(
                handle: self.handle,
                role: .peripheral,
                peer: .none,
                interval: interval,
                latency: 1,
                supervisionTimeout: timeout
            ),
            "00 40 00 01 00" + self.zeros(6) + "06 00 01 00 0A 00 00"
        )
        let enhanced = LEEnhancedConnectionComplete(
            handle: self.handle,
            role: .peripheral,
            peer: .none,
            interval: interval,
            latency: 1,
            supervisionTimeout: timeout
        )
        let octets = "00 40 00 01 00" + self.zeros(18) + "06 00 01 00 0A 00 00"
        self.check(enhanced, octets)
        self.check(LEEnhancedConnectionCompleteV2(connection: enhanced), octets + "FF FF FF")
        let legacy = LEConnectionComplete(
            handle: self.handle,
            role: .central,
            peer: .none,
            interval: interval,
            latency: 1,
            supervisionTimeout: timeout
        )
        #expect(legacy.localResolvableAddress == nil && legacy.peerResolvableAddress == nil)
    }

    @Test("Reports are of LE 1M, and say that all else is not there")
    func reports() {
        let address = DeviceAddress(0x0102_0304_0506, kind: .random)
        self.check(
            LEExtendedAdvertisingReport(eventType: [], address: address, rssi: -45, data: ByteBuffer()),
            "00 00 01 06 05 04 03 02 01 01 00 FF 7F D3 00 00" + self.zeros(7) + "00"
        )
        self.check(
            LEDirectedAdvertisingReport(address: address, target: .device(address), rssi: -45),
            "01 01 06 05 04 03 02 01 01 06 05 04 03 02 01 D3"
        )
    }

    @Test("A header of data is for one link, and data of 4,096 octets is the longest that is taken from a stream")
    func data() throws {
        let header = ACLDataHeader(handle: self.handle, boundary: .continuing, length: 3)
        #expect(header.broadcast == 0)
        for (hex, kind) in [("02 40 00", HCIPacket.Kind.aclData), ("05 40 00", .isochronousData)] {
            var framer = H4Framer(readingFrom: .host)
            framer.append(ByteBuffer(hex: hex + "00 10"))
            #expect(try framer.next() == nil)
            framer.append(ByteBuffer(repeating: 0, count: 4_096))
            #expect(try framer.next()?.bytes.readableBytes == 4_101)
            framer.append(ByteBuffer(hex: hex + "01 10"))
            #expect(throws: H4FramingError.tooLong(kind, length: 4_097)) { try framer.next() }
        }
    }
}
