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

    private func enable(_ link: TestLink, key: Octets16 = Self.key) {
        link.central.ok(
            LEEnableEncryption(
                handle: link.centralHandle,
                random: 0xABCD,
                encryptedDiversifier: 0x2474,
                longTermKey: key
            )
        )
        link.testbed.pass(.seconds(2))
    }

    @Test("the same key at both ends encrypts the link", arguments: allSettings)
    func rightKey(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        self.enable(link)
        let request = try #require(link.peripheral.take(LELongTermKeyRequest.self))
        #expect(request.handle == link.peripheralHandle)
        #expect(request.random == 0xABCD)
        #expect(request.encryptedDiversifier == 0x2474)
        // Meanwhile data waits.
        link.central.sendData([1], on: link.centralHandle)
        link.peripheral.sendData([2], on: link.peripheralHandle)
        link.testbed.pass(.seconds(1))
        #expect(link.central.data.isEmpty)
        #expect(link.peripheral.data.isEmpty)
        link.central.refused(
            LEEnableEncryption(handle: link.centralHandle, longTermKey: Self.key),
            .commandDisallowed
        )
        link.peripheral.ok(LELongTermKeyRequestReply(handle: link.peripheralHandle, longTermKey: Self.key))
        link.testbed.pass(.seconds(2))
        #expect(
            link.central.take(EncryptionChange.self)
                == EncryptionChange(handle: link.centralHandle, encryption: .on)
        )
        #expect(
            link.peripheral.take(EncryptionChange.self)
                == EncryptionChange(handle: link.peripheralHandle, encryption: .on)
        )
        #expect(link.central.data.map(\.octets) == [[2]])
        #expect(link.peripheral.data.map(\.octets) == [[1]])
        link.peripheral.refused(
            LELongTermKeyRequestReply(handle: link.peripheralHandle, longTermKey: Self.key),
            .commandDisallowed
        )
    }

    @Test("different keys end the link with 0x3D at both ends", arguments: allSettings)
    func wrongKey(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        self.enable(link)
        _ = try #require(link.peripheral.take(LELongTermKeyRequest.self))
        link.peripheral.ok(
            LELongTermKeyRequestReply(
                handle: link.peripheralHandle,
                longTermKey: Octets16(high: Self.key.high, low: Self.key.low ^ 1)
            )
        )
        link.testbed.pass(.seconds(2))
        for (host, handle) in link.ends {
            #expect(host.take(EncryptionChange.self) == nil)
            #expect(
                host.take(DisconnectionComplete.self)
                    == DisconnectionComplete(handle: handle, reason: .connectionTerminatedMICFailure)
            )
        }
    }

    @Test("a host without a key lets the central know with 0x06, and the link goes on", arguments: allSettings)
    func noKey(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        self.enable(link)
        _ = try #require(link.peripheral.take(LELongTermKeyRequest.self))
        link.central.sendData([1], on: link.centralHandle)
        link.peripheral.ok(LELongTermKeyRequestNegativeReply(handle: link.peripheralHandle))
        link.testbed.pass(.seconds(2))
        let event = try #require(link.central.take(EncryptionChange.self))
        #expect(event.status == .pinOrKeyMissing)
        #expect(event.encryption == .off)
        #expect(link.peripheral.take(EncryptionChange.self) == nil)
        #expect(link.peripheral.data.count == 1)
        link.peripheral.sendData([2], on: link.peripheralHandle)
        link.testbed.pass(.seconds(1))
        #expect(link.central.data.count == 1)
    }

    @Test("a host that does not want to be asked has no key")
    func masked() throws {
        let link = try TestLink(AirTestbed())
        link.peripheral.ok(LESetEventMask(mask: LEEventMask([.connectionComplete])))
        self.enable(link)
        #expect(link.central.take(EncryptionChange.self)?.status == .pinOrKeyMissing)
    }

    @Test("a host that never gives its key loses the link after 40 s with 0x22")
    func noAnswer() throws {
        let link = try TestLink(AirTestbed())
        self.enable(link)
        link.testbed.pass(.seconds(37))
        #expect(link.central.take(DisconnectionComplete.self) == nil)
        link.testbed.pass(.seconds(1))
        #expect(link.central.take(DisconnectionComplete.self)?.reason == .linkLayerResponseTimeout)
        link.testbed.pass(.seconds(1))
        #expect(link.peripheral.take(DisconnectionComplete.self)?.reason == .connectionTimeout)
    }

    @Test("a change that the central makes by itself has no limit, least of all that of an earlier procedure")
    func changesAfterEncryption() throws {
        let link = try TestLink(AirTestbed(.realistic))
        self.enable(link)
        link.peripheral.ok(LELongTermKeyRequestReply(handle: link.peripheralHandle, longTermKey: Self.key))
        link.testbed.pass(.seconds(37))
        #expect(link.central.take(EncryptionChange.self)?.encryption == .on)
        // From 39 s to 42 s after the beginning of the encryption there is nearly always a change under way.
        for number in 0..<300 {
            let interval = ConnectionInterval(rawValue: number.isMultiple(of: 2) ? 24 : 25)
            let parameters = ConnectionParameters(
                interval: interval,
                supervisionTimeout: TestHost.parameters.supervisionTimeout
            )
            link.central.send(LEConnectionUpdate(handle: link.centralHandle, parameters: parameters))
            link.testbed.pass(.milliseconds(10))
        }
        #expect(link.central.takeAll(LEConnectionUpdateComplete.self).count > 10)
        #expect(link.central.take(DisconnectionComplete.self) == nil)
    }

    @Test("only a central begins")
    func peripheralBegins() throws {
        let link = try TestLink(AirTestbed())
        link.peripheral.refused(
            LEEnableEncryption(handle: link.peripheralHandle, longTermKey: Self.key),
            .commandDisallowed
        )
        link.central.refused(LELongTermKeyRequestNegativeReply(handle: link.centralHandle), .commandDisallowed)
    }

    @Test("an encrypted link is encrypted anew with the key refresh event", arguments: allSettings)
    func refresh(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        for round in 0..<3 {
            self.enable(link)
            _ = try #require(link.peripheral.take(LELongTermKeyRequest.self))
            link.peripheral.ok(LELongTermKeyRequestReply(handle: link.peripheralHandle, longTermKey: Self.key))
            link.testbed.pass(.seconds(2))
            for host in [link.central, link.peripheral] {
                #expect((host.take(EncryptionChange.self) != nil) == (round == 0))
                #expect((host.take(EncryptionKeyRefreshComplete.self)?.status == .success) == (round > 0))
            }
        }
        // Without a key this time: an encrypted link must not fall back.
        self.enable(link)
        _ = try #require(link.peripheral.take(LELongTermKeyRequest.self))
        link.peripheral.ok(LELongTermKeyRequestNegativeReply(handle: link.peripheralHandle))
        link.testbed.pass(.seconds(2))
        #expect(link.central.take(DisconnectionComplete.self)?.reason == .pinOrKeyMissing)
        #expect(link.peripheral.take(DisconnectionComplete.self) != nil)
    }

    @Test("sends the second version of the event if the host wants it")
    func secondVersion() throws {
        let link = try TestLink(AirTestbed())
        link.central.ok(SetEventMaskPage2(mask: EventMaskPage2([.encryptionChangeV2])))
        self.enable(link)
        link.peripheral.ok(LELongTermKeyRequestReply(handle: link.peripheralHandle, longTermKey: Self.key))
        let event = try #require(link.central.take(EncryptionChangeV2.self))
        #expect(event.keySize == 16)
        #expect(event.encryption == .on)
        #expect(link.central.take(EncryptionChange.self) == nil)
        #expect(link.peripheral.take(EncryptionChange.self) != nil)
    }

    /// Encrypts a link.
    private func encrypted(_ settings: AirSettings) throws -> TestLink {
        let link = try TestLink(AirTestbed(settings))
        self.enable(link)
        link.peripheral.ok(LELongTermKeyRequestReply(handle: link.peripheralHandle, longTermKey: Self.key))
        link.testbed.pass(.seconds(2))
        #expect(link.peripheral.take(EncryptionChange.self)?.encryption == .on)
        return link
    }

    @Test(
        "all data of an encrypted link arrives as it was sent, and none of it is readable on its way",
        arguments: allSettings
    )
    func confidentiality(settings: AirSettings) throws {
        let link = try self.encrypted(settings)
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
            link.central.sendData(message, on: link.centralHandle)
            link.peripheral.sendData(message, on: link.peripheralHandle)
            link.testbed.pass(.seconds(2))
        }
        #expect(link.peripheral.data.flatMap(\.octets) == messages.flatMap { $0 })
        #expect(link.central.data.flatMap(\.octets) == messages.flatMap { $0 })
        #expect(seen.count >= 40)
        for packet in seen where packet.count > 12 {
            #expect(Set(packet).count > 4, "\(packet)")
        }
        // No two packets are the same, since each has a number.
        #expect(Set(seen).count == seen.count)
    }

    @Test("a packet that was changed on the way ends the link with 0x3D where it arrives", arguments: [0, 5, 30])
    func changed(_ place: Int) throws {
        for settings in [AirSettings.instant, .realistic] {
            let link = try self.encrypted(settings)
            link.testbed.air.interference = { transmission in
                guard case .sealed(var octets, let content) = transmission, octets.readableBytes == 31 else {
                    return nil
                }
                octets.setInteger((octets.getInteger(at: octets.readerIndex + place) ?? UInt8(0)) ^ 1, at: place)
                return .sealed(octets, content)
            }
            link.central.sendData([UInt8](repeating: 7, count: 27), on: link.centralHandle)
            link.testbed.pass(.seconds(1))
            #expect(link.peripheral.take(DisconnectionComplete.self)?.reason == .connectionTerminatedMICFailure)
            #expect(link.peripheral.data.isEmpty)
            // The other end hears nothing any more.
            link.testbed.pass(.seconds(40))
            #expect(link.central.take(DisconnectionComplete.self)?.reason == .connectionTimeout)
        }
    }

    @Test("a packet that comes again, and one in clear, end the encrypted link with 0x3D", arguments: [true, false])
    func replayed(isInClear: Bool) throws {
        let link = try self.encrypted(.instant)
        var first: Transmission?
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

    @Test("ends an encrypted link with 0x06 if the peripheral's host masks the request for a key")
    func maskedRefresh() throws {
        let link = try TestLink(AirTestbed())
        let enable = LEEnableEncryption(handle: link.centralHandle, longTermKey: Self.key)
        link.central.ok(enable)
        link.peripheral.ok(LELongTermKeyRequestReply(handle: link.peripheralHandle, longTermKey: Self.key))
        #expect(link.central.take(EncryptionChange.self)?.encryption == .on)
        link.peripheral.ok(LESetEventMask(mask: LEEventMask([.connectionComplete])))
        link.central.ok(enable)
        link.testbed.loop.run()
        #expect(link.central.take(DisconnectionComplete.self)?.reason == .pinOrKeyMissing)
        #expect(link.peripheral.take(DisconnectionComplete.self)?.reason == .localHostTerminated)
        #expect(link.central.take(EncryptionKeyRefreshComplete.self) == nil)
    }

    @Test("a link that found no key is encrypted with the next one that its host gives")
    func keyAfterRefusal() throws {
        let link = try TestLink(AirTestbed())
        let enable = LEEnableEncryption(handle: link.centralHandle, longTermKey: Self.key)
        link.central.ok(enable)
        link.peripheral.ok(LELongTermKeyRequestNegativeReply(handle: link.peripheralHandle))
        #expect(link.central.take(EncryptionChange.self)?.status == .pinOrKeyMissing)
        link.central.ok(enable)
        link.peripheral.ok(LELongTermKeyRequestReply(handle: link.peripheralHandle, longTermKey: Self.key))
        for (host, handle) in link.ends {
            #expect(host.takeAll(EncryptionChange.self) == [EncryptionChange(handle: handle, encryption: .on)])
        }
        link.testbed.pass(.seconds(100))
        #expect(link.central.take(DisconnectionComplete.self) == nil, "no procedure waits any more")
    }

    @Test("only the peripheral's host gives the key, while it is asked for (7.8.25, 7.8.26)")
    func keyOfCentral() throws {
        let link = try TestLink(AirTestbed())
        for _ in 0..<2 {
            link.central.ok(LEEnableEncryption(handle: link.centralHandle, longTermKey: Self.key))
            link.central.refused(
                LELongTermKeyRequestReply(handle: link.centralHandle, longTermKey: Self.key),
                .commandDisallowed
            )
            link.central.refused(LELongTermKeyRequestNegativeReply(handle: link.centralHandle), .commandDisallowed)
            link.peripheral.ok(LELongTermKeyRequestNegativeReply(handle: link.peripheralHandle))
            link.peripheral.refused(
                LELongTermKeyRequestReply(handle: link.peripheralHandle, longTermKey: Self.key),
                .commandDisallowed
            )
            #expect(link.central.take(EncryptionChange.self)?.status == .pinOrKeyMissing)
        }
    }

    @Test("encryption that has failed is reported without a key size, in the second version of the event (7.7.8)")
    func failedSecondVersion() throws {
        let link = try TestLink(AirTestbed())
        link.central.ok(SetEventMaskPage2(mask: EventMaskPage2([.encryptionChangeV2])))
        link.central.ok(LEEnableEncryption(handle: link.centralHandle, longTermKey: Self.key))
        link.peripheral.ok(LELongTermKeyRequestNegativeReply(handle: link.peripheralHandle))
        #expect(
            link.central.takeAll(EncryptionChangeV2.self) == [
                EncryptionChangeV2(status: .pinOrKeyMissing, handle: link.centralHandle, encryption: .off, keySize: 0)
            ]
        )
        #expect(link.central.take(EncryptionChange.self) == nil)
    }

    private static let part = SessionPart(diversifier: 1, vector: 2)
    private static let sessionKey = SessionKey(longTermKey: key, central: part, peripheral: part)
    private static let request = EncryptionRequest(random: 1, diversifier: 2, longTermKey: .zero)

    @Test("takes no packet in clear on an encrypted link, except control PDUs of encryption while it is paused")
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
                let data = Transmission.data(ByteBuffer(bytes: [1, 2, 3]), isStart: true, isLast: true)
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
