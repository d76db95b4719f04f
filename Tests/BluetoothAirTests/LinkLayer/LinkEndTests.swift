// One end of a link: what it sends next in all of its states, and what it takes of what comes.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("End of a link")
struct LinkEndTests {
    private static let part = SessionPart(diversifier: 1, vector: 2)
    private static let key = SessionKey(longTermKey: Octets16(high: 3, low: 4), central: part, peripheral: part)
    private static let request = EncryptionRequest(random: 1, diversifier: 2, longTermKey: .zero)

    private static let procedures: [(String, EncryptionProcedure)] = [
        ("none", .none), ("pausing", .pausing(request)), ("requesting", .requesting(request, part, isRefresh: false)),
        ("awaitingStart", .awaitingStart(key, isRefresh: false)), ("confirming", .confirming(isRefresh: false)),
        ("paused", .paused), ("awaitingKey", .awaitingKey(central: part, peripheral: part, isRefresh: false)),
        ("awaitingConfirmation", .awaitingConfirmation(key, isRefresh: false)), ("refused", .refused),
    ]
    private static let controls: [LLControlPDU] = [
        .pingRequest, .startEncryptionRequest, .terminate(.remoteUserTerminated), .featureResponse([]),
    ]

    private let pair = ControllerPair()

    private func text(_ transmission: Transmission?) -> String {
        switch transmission {
        case nil: "-"
        case .control(let control): "control \(control.octets.readableBytesView.map(\.hexDigits).joined())"
        case .data(let payload, let isStart, let isLast): "data \(payload.readableBytes) \(isStart) \(isLast)"
        case .sealed(let octets, let content): "sealed \(octets.readableBytes) \(content.header)"
        }
    }

    @Test("what is sent next, in each state of encryption, with each kind of work; announced with its length")
    func next() {
        for (name, encryption) in Self.procedures {
            for work in 0..<64 {
                let (end, peer) = (self.pair.end(.central), self.pair.end(.peripheral))
                end.encryption = encryption
                if work & 1 != 0 { end.control.append(.pingRequest) }
                if work & 2 != 0 { end.control.append(.encryptionResponse(Self.part)) }
                if work & 4 != 0 {
                    end.data.append(PendingData(payload: ByteBuffer(repeating: 7, count: 60), isStart: true))
                }
                if work & 8 != 0 { end.termination = .pending(.remoteUserTerminated) }
                if work & 16 != 0 { end.transmitCipher = Self.key.cipher(fromCentral: true) }
                if work & 32 != 0 { peer.controller.receiveBuffers.isHostWritable = false }
                var line = "\(name) \(work): \(end.hasWork) \(end.isPaused) \(end.hasClearPath) \(end.isTerminating)"
                for _ in 0..<6 {
                    let length = end.nextOctetCount(to: peer)
                    let canSendMore = end.canSendMore(to: peer)
                    let transmission = end.nextTransmission(to: peer)
                    #expect(transmission?.octetCount == length, "\(name) \(work)")
                    #expect((transmission != nil) == canSendMore, "\(name) \(work)")
                    line += "; \(self.text(transmission)) \(transmission?.isLastOfData == true)"
                    // It stays until it is acknowledged.
                    #expect(end.nextOctetCount(to: peer) == length)
                    #expect(self.text(end.nextTransmission(to: peer)) == self.text(transmission))
                    #expect(end.markInFlightReceived() == (transmission != nil))
                    #expect(!end.markInFlightReceived())
                    end.acknowledge()
                    #expect(end.inFlight == nil)
                }
                peer.controller.receiveBuffers.isHostWritable = true
                RunRecord.note(line + "; \(end.hasWork) \(end.completedPackets)")
            }
        }
    }

    @Test("what is taken, with and without a key, in each state of encryption")
    func taken() {
        for (name, encryption) in Self.procedures {
            for isEncrypted in [false, true] {
                func receiver() -> LinkEnd {
                    let end = self.pair.end(.peripheral)
                    end.encryption = encryption
                    if isEncrypted { end.receiveCipher = Self.key.cipher(fromCentral: true) }
                    return end
                }
                let isPaused = name != "none"
                for control in Self.controls {
                    let isTaken = receiver().open(.control(control)) != nil
                    #expect(isTaken == (!isEncrypted || isPaused && control.isOfEncryption), "\(name) \(control)")
                }
                let data = Transmission.data(ByteBuffer(bytes: [1, 2, 3]), isStart: true, isLast: true)
                #expect((receiver().open(data) != nil) == !isEncrypted)
                for transmission in [data, .control(.pingRequest)] {
                    var cipher = Self.key.cipher(fromCentral: true)
                    let sealed = transmission.sealed(with: &cipher)
                    #expect(sealed.octetCount == transmission.octetCount + 4)
                    #expect(sealed.isLastOfData == transmission.isLastOfData)
                    let opened = receiver().open(sealed)
                    #expect(self.text(opened) == (isEncrypted ? self.text(transmission) : "-"))
                }
            }
        }
    }

    @Test("data is cut into pieces of the limit; the first one begins the PDU, the last one ends the packet")
    func fragments() {
        for (count, pieces) in [(1, [1]), (26, [26]), (27, [27]), (28, [27, 1]), (54, [27, 27]), (55, [27, 27, 1])] {
            for isStart in [true, false] {
                let (end, peer) = (self.pair.end(.central), self.pair.end(.peripheral))
                end.data.append(PendingData(payload: ByteBuffer(repeating: 1, count: count), isStart: isStart))
                for (index, piece) in pieces.enumerated() {
                    let expected = "data \(piece) \(isStart && index == 0) \(index == pieces.count - 1)"
                    #expect(self.text(end.nextTransmission(to: peer)) == expected)
                    #expect(end.completedPackets == 0)
                    end.acknowledge()
                }
                #expect(end.completedPackets == 1)
                #expect(end.nextTransmission(to: peer) == nil)
            }
        }
    }

    @Test("a procedure of which an end waits for its peer")
    func responses() {
        let waiting = ["pausing", "requesting", "awaitingStart", "confirming"]
        for (name, encryption) in Self.procedures {
            for role in [ConnectionRole.central, .peripheral] {
                let end = self.pair.end(role)
                end.encryption = encryption
                #expect(end.awaitsResponse == waiting.contains(name), "\(name)")
                end.parameterUpdate = .requested
                #expect(end.awaitsResponse == (waiting.contains(name) || role == .peripheral), "\(name)")
                end.parameterUpdate = .awaitsHost
                #expect(end.awaitsResponse == waiting.contains(name), "\(name)")
            }
        }
    }

    @Test("the end of a link: what was asked for, what was sent")
    func termination() {
        var termination = Termination.none
        #expect(termination.pendingReason == nil && !termination.isRequested)
        termination.markSent()
        #expect(!termination.isRequested)
        termination = .pending(.remotePowerOff)
        #expect(termination.pendingReason == .remotePowerOff && termination.isRequested)
        termination.markSent()
        #expect(termination.pendingReason == nil && termination.isRequested)
    }
}
