import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Encryption")
struct LinkEncryptionTests {
    private static let allSettings = [AirSettings.instant, .realistic, AirSettings(hasAirTime: true, loss: 0.2)]
    private static let key = Octets16(high: 0x1122_3344_5566_7788, low: 0x99AA_BBCC_DDEE_FF00)

    private func enable(_ link: TestLink) {
        link.enableEncryption(Self.key)
        link.testbed.pass(.seconds(2))
    }

    @Test("the same key at both ends encrypts the link, anew with the key refresh event", arguments: allSettings)
    func rightKey(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        let enable = LEEnableEncryption(
            handle: link.centralHandle,
            random: 0xABCD,
            encryptedDiversifier: 0x2474,
            longTermKey: Self.key
        )
        for round in 0..<3 {
            link.central.ok(enable)
            link.testbed.pass(.seconds(2))
            let request = try #require(link.peripheral.take(LELongTermKeyRequest.self))
            #expect(request.handle == link.peripheralHandle)
            #expect(request.random == 0xABCD && request.encryptedDiversifier == 0x2474)
            // Meanwhile data waits.
            for (host, handle) in link.ends { host.sendData([UInt8(round)], on: handle) }
            link.testbed.pass(.seconds(1))
            #expect(link.ends.allSatisfy { $0.host.data.count == round })
            link.central.refused(enable, .commandDisallowed)
            link.giveKey(Self.key)
            link.testbed.pass(.seconds(2))
            for (host, handle) in link.ends {
                let changes = host.takeAll(EncryptionChange.self)
                #expect(changes == (round == 0 ? [EncryptionChange(handle: handle, encryption: .on)] : []))
                let refreshes = host.takeAll(EncryptionKeyRefreshComplete.self)
                #expect(refreshes.map(\.status) == (round == 0 ? [] : [.success]))
                #expect(host.data.count == round + 1)
            }
        }
    }

    @Test("different keys end the link with 0x3D at both ends", arguments: allSettings)
    func wrongKey(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        self.enable(link)
        link.giveKey(Octets16(high: Self.key.high, low: Self.key.low ^ 1))
        link.testbed.pass(.seconds(2))
        #expect(link.ends.allSatisfy { $0.host.take(EncryptionChange.self) == nil })
        #expect(link.reasons == [.connectionTerminatedMICFailure, .connectionTerminatedMICFailure])
    }

    @Test("a host without a key rejects encryption with 0x06, and the link stays", arguments: allSettings)
    func noKey(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        self.enable(link)
        link.central.sendData([1], on: link.centralHandle)
        link.refuseKey()
        link.testbed.pass(.seconds(2))
        let event = try #require(link.central.take(EncryptionChange.self))
        #expect(event.status == .pinOrKeyMissing && event.encryption == .off)
        #expect(link.peripheral.take(EncryptionChange.self) == nil)
        #expect(link.peripheral.data.count == 1)
        link.peripheral.sendData([2], on: link.peripheralHandle)
        link.testbed.pass(.seconds(1))
        #expect(link.central.data.count == 1)
    }

    @Test("a host that masks the request for a key has none: an encrypted link ends with 0x06, another one goes on")
    func masked() throws {
        for isEncrypted in [false, true] {
            let link = try TestLink(AirTestbed())
            if isEncrypted { link.encrypt() }
            link.peripheral.ok(LESetEventMask(mask: LEEventMask([.connectionComplete])))
            self.enable(link)
            #expect(link.central.take(EncryptionChange.self)?.status == (isEncrypted ? nil : .pinOrKeyMissing))
            #expect(link.central.take(EncryptionKeyRefreshComplete.self) == nil)
            #expect(link.reasons == (isEncrypted ? [.pinOrKeyMissing, .localHostTerminated] : [nil, nil]))
        }
    }

    @Test("a change that the central makes itself has no time limit, not even that of an earlier procedure")
    func changesAfterEncryption() throws {
        let link = try TestLink(AirTestbed(.realistic))
        self.enable(link)
        link.giveKey(Self.key)
        link.testbed.pass(.seconds(37))
        #expect(link.central.take(EncryptionChange.self)?.encryption == .on)
        // From 39 s to 42 s after the beginning of the encryption there is nearly always a change under way.
        for number in 0..<300 {
            let parameters = ConnectionParameters(interval: number.isMultiple(of: 2) ? 24 : 25)
            link.central.send(LEConnectionUpdate(handle: link.centralHandle, parameters: parameters))
            link.testbed.pass(.milliseconds(10))
        }
        #expect(link.central.takeAll(LEConnectionUpdateComplete.self).count > 10)
        #expect(link.central.take(DisconnectionComplete.self) == nil)
    }

    @Test("sends the second version of the event if the host wants it, with a key size if encryption is on (7.7.8)")
    func secondVersion() throws {
        for hasKey in [true, false] {
            let link = try TestLink(AirTestbed())
            link.central.ok(SetEventMaskPage2(mask: EventMaskPage2([.encryptionChangeV2])))
            self.enable(link)
            if hasKey { link.giveKey(Self.key) } else { link.refuseKey() }
            let expected = EncryptionChangeV2(
                status: hasKey ? .success : .pinOrKeyMissing,
                handle: link.centralHandle,
                encryption: hasKey ? .on : .off,
                keySize: hasKey ? 16 : 0
            )
            #expect(link.central.takeAll(EncryptionChangeV2.self) == [expected])
            #expect(link.central.take(EncryptionChange.self) == nil)
            #expect((link.peripheral.take(EncryptionChange.self) != nil) == hasKey)
        }
    }

    @Test(
        "all data of an encrypted link arrives as it was sent, and none is readable on its way",
        arguments: allSettings
    )
    func confidentiality(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        link.encrypt()
        var seen: [[UInt8]] = []
        link.testbed.air.interference = { transmission in
            guard case .sealed(let octets, _) = transmission else {
                Issue.record("a packet of an encrypted link in clear")
                return nil
            }
            seen.append(Array(octets.readableBytesView))
            return nil
        }
        let messages = (0..<20).map { number in [UInt8](repeating: UInt8(number), count: 1 + 13 * number) }
        for message in messages {
            for (host, handle) in link.ends { host.sendData(message, on: handle) }
            link.testbed.pass(.seconds(2))
        }
        for (host, _) in link.ends { #expect(host.data.flatMap(\.octets) == messages.flatMap { $0 }) }
        #expect(seen.count >= 40)
        for packet in seen where packet.count > 12 { #expect(Set(packet).count > 4, "\(packet)") }
        // No two packets are the same, since each has a number.
        #expect(Set(seen).count == seen.count)
    }

    @Test("a packet that was changed on the way ends the link with 0x3D where it arrives", arguments: [0, 5, 30])
    func changed(_ place: Int) throws {
        for settings in [AirSettings.instant, .realistic] {
            let link = try TestLink(AirTestbed(settings))
            link.encrypt()
            link.testbed.air.interference = { transmission in
                guard case .sealed(var octets, let content) = transmission, octets.readableBytes == 31 else {
                    return nil
                }
                octets.setInteger((octets.getInteger(at: octets.readerIndex + place) ?? UInt8(0)) ^ 1, at: place)
                return .sealed(octets, content)
            }
            link.central.sendData([UInt8](repeating: 7, count: 27), on: link.centralHandle)
            link.testbed.pass(.seconds(40))
            // The other end no longer hears anything.
            #expect(link.reasons == [.connectionTimeout, .connectionTerminatedMICFailure])
            #expect(link.peripheral.data.isEmpty)
        }
    }

    @Test("a repeated packet, and an unencrypted one, end the encrypted link with 0x3D", arguments: [true, false])
    func replayed(isInClear: Bool) throws {
        let link = try TestLink(AirTestbed())
        link.encrypt()
        var first: LinkPacket?
        link.testbed.air.interference = { transmission in
            defer { first = first ?? transmission }
            return isInClear ? .data(ByteBuffer(bytes: [1]), isStart: true, isLast: true) : first
        }
        link.central.sendData([1], on: link.centralHandle)
        link.central.sendData([1], on: link.centralHandle)
        link.testbed.pass(.seconds(1))
        #expect(link.peripheral.take(DisconnectionComplete.self)?.reason == .connectionTerminatedMICFailure)
        #expect(link.peripheral.data.count == (isInClear ? 0 : 1))
    }

    @Test(
        "only the peripheral's host gives a key, once for each request, and only the central's host asks (7.8.24 to 7.8.26)"
    )
    func commands() throws {
        let link = try TestLink(AirTestbed())
        let refuse = LELongTermKeyRequestNegativeReply(handle: link.peripheralHandle)
        let give = LELongTermKeyRequestReply(handle: link.peripheralHandle, longTermKey: Self.key)
        link.peripheral.refused(
            LEEnableEncryption(handle: link.peripheralHandle, longTermKey: Self.key),
            .commandDisallowed
        )
        for hasKey in [false, false, true] {
            link.enableEncryption(Self.key)
            link.central.refused(
                LELongTermKeyRequestReply(handle: link.centralHandle, longTermKey: Self.key),
                .commandDisallowed
            )
            link.central.refused(LELongTermKeyRequestNegativeReply(handle: link.centralHandle), .commandDisallowed)
            if hasKey { link.peripheral.ok(give) } else { link.peripheral.ok(refuse) }
            link.peripheral.refused(give, .commandDisallowed)
            link.peripheral.refused(refuse, .commandDisallowed)
            #expect(link.central.take(EncryptionChange.self)?.status == (hasKey ? .success : .pinOrKeyMissing))
        }
        link.testbed.pass(.seconds(100))
        #expect(link.isOpen == [true, true], "no procedure waits any more")
    }

    private static let part = SessionPart(diversifier: 1, vector: 2)
    private static let sessionKey = SessionKey(longTermKey: key, central: part, peripheral: part)
    private static let request = LEEnableEncryption(handle: ConnectionHandle(rawValue: 0), longTermKey: .zero)

    @Test("accepts no unencrypted packet on an encrypted link, except control PDUs of encryption while it is paused")
    func clearPackets() {
        let pair = ControllerPair()
        for (encryption, isPaused) in [
            (.none, false), (.paused, true), (.requesting(Self.request, Self.part, isRefresh: true), true),
        ] as [(EncryptionProcedure, Bool)] {
            for isEncrypted in [false, true] {
                func receiver() -> LinkEnd {
                    let end = pair.end(.peripheral)
                    end.encryption = encryption
                    if isEncrypted { end.receiveCipher = Self.sessionKey.cipher(fromCentral: true) }
                    return end
                }
                let controls: [LLControlPDU] = [
                    .pingRequest, .startEncryptionRequest, .terminate(.remoteUserTerminated), .featureResponse([]),
                ]
                for control in controls {
                    let isTaken = receiver().open(.control(control)) != nil
                    #expect(isTaken == (!isEncrypted || isPaused && control.isOfEncryption), "\(control)")
                }
                let data = LinkPacket.data(ByteBuffer(bytes: [1, 2, 3]), isStart: true, isLast: true)
                #expect((receiver().open(data) != nil) == !isEncrypted)
                for transmission in [data, .control(.pingRequest)] {
                    var cipher = Self.sessionKey.cipher(fromCentral: true)
                    let sealed = transmission.sealed(with: &cipher)
                    #expect(sealed.octetCount == transmission.octetCount + 4)
                    #expect(sealed.isLastOfData == transmission.isLastOfData)
                    #expect((receiver().open(sealed) != nil) == isEncrypted)
                }
            }
        }
    }
}
