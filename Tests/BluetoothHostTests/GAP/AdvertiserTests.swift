// Advertising as the user wants it, over a controller that stops by itself.

import BluetoothHCI
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Advertiser")
struct AdvertiserTests {
    private let request = AdvertisingParameters(data: ByteBuffer(bytes: [2, 1, 6]))
    private let other = AdvertisingParameters(data: ByteBuffer(bytes: [2, 1, 4]))

    private func start(_ advertiser: inout Advertiser) -> [Advertiser.Outcome] {
        var outcomes: [Advertiser.Outcome] = []
        var step = advertiser.next()
        while step != nil {
            let (outcome, following) = advertiser.completed(nil)
            if let outcome { outcomes.append(outcome) }
            step = following ?? advertiser.next()
        }
        return outcomes
    }

    /// How a step ends that the controller answers with a status.
    private func failure(_ status: HCIErrorCode) -> LEHostError? { status == .success ? nil : .refused(status) }

    private func step(_ advertiser: inout Advertiser, _ status: HCIErrorCode) -> Advertiser.Step? {
        advertiser.completed(self.failure(status)).step
    }

    /// Takes a status from which neither a step nor an outcome follows.
    private func isSilent(_ advertiser: inout Advertiser, _ status: HCIErrorCode) -> Bool {
        advertiser.completed(self.failure(status)) == (nil, nil)
    }

    private func outcome(_ advertiser: inout Advertiser, _ status: HCIErrorCode) -> Advertiser.Outcome? {
        advertiser.completed(self.failure(status)).outcome
    }

    @Test("GAP/CONN/UCON/BV-01-C parameters, data, scan response, enable")
    func order() {
        var advertiser = Advertiser()
        let number = advertiser.start(self.request)
        #expect(advertiser.next() == .setParameters(self.request))
        #expect(self.step(&advertiser, .success) == .setData(self.request.data))
        #expect(self.step(&advertiser, .success) == .setScanResponse(self.request.scanResponse))
        #expect(self.isSilent(&advertiser, .success))
        #expect(advertiser.next() == .enable)
        #expect(self.outcome(&advertiser, .success) == .started(number))
        #expect(advertiser.next() == nil)
    }

    @Test("a central that connects ends advertising, and it is enabled again without new data")
    func reenabledAfterConnection() {
        var advertiser = Advertiser()
        _ = advertiser.start(self.request)
        _ = self.start(&advertiser)
        advertiser.connected(asPeripheral: true)
        #expect(advertiser.next() == .enable)
        #expect(self.isSilent(&advertiser, .success), "the start is reported once")
    }

    @Test("a controller without a free link is tried again when a link ends")
    func waitsForLink() {
        var advertiser = Advertiser()
        _ = advertiser.start(self.request)
        _ = self.start(&advertiser)
        advertiser.connected(asPeripheral: true)
        #expect(advertiser.next() == .enable)
        #expect(self.isSilent(&advertiser, .commandDisallowed))
        #expect(advertiser.next() == nil)
        advertiser.disconnected(linksLeft: 0)
        #expect(advertiser.next() == .enable)
    }

    @Test("a new request passes through disable")
    func changes() {
        var advertiser = Advertiser()
        _ = advertiser.start(self.request)
        _ = self.start(&advertiser)
        let number = advertiser.start(self.other)
        #expect(advertiser.next() == .disable)
        _ = advertiser.completed(nil)
        #expect(self.start(&advertiser) == [.started(number)])
    }

    @Test("stop while the start is on its way")
    func stopsWhileConfiguring() {
        var advertiser = Advertiser()
        _ = advertiser.start(self.request)
        #expect(advertiser.next() == .setParameters(self.request))
        advertiser.stop()
        #expect(self.step(&advertiser, .success) == .setData(self.request.data))
        #expect(self.step(&advertiser, .success) == .setScanResponse(self.request.scanResponse))
        #expect(self.isSilent(&advertiser, .success))
        #expect(advertiser.next() == nil)
    }

    @Test(
        "a refusal is reported and not repeated",
        arguments: [HCIErrorCode.invalidParameters, .memoryCapacityExceeded]
    )
    func refused(status: HCIErrorCode) {
        var advertiser = Advertiser()
        let number = advertiser.start(self.request)
        #expect(advertiser.next() != nil)
        #expect(self.outcome(&advertiser, status) == .refused(number, .refused(status)))
        #expect(advertiser.next() == nil)
    }

    @Test("a link that this side has made does not end advertising, and one that ended leaves the others")
    func linksOfEachKind() {
        var advertiser = Advertiser()
        let number = advertiser.start(self.request)
        _ = self.start(&advertiser)
        advertiser.connected(asPeripheral: false)
        #expect(advertiser.next() == nil)
        advertiser.connected(asPeripheral: true)
        advertiser.disconnected(linksLeft: 1)
        #expect(advertiser.next() == .enable)
        #expect(self.isSilent(&advertiser, .commandDisallowed), "a link is open")
        advertiser.disconnected(linksLeft: 0)
        #expect(advertiser.next() == .enable)
        // Without a link there is nothing to wait for: the request is refused.
        #expect(self.outcome(&advertiser, .commandDisallowed) == .refused(number, .refused(.commandDisallowed)))
        #expect(advertiser.isOff)
    }

    @Test("a refusal to enable while no link is open is final")
    func refusedWithoutLinks() {
        var advertiser = Advertiser()
        let number = advertiser.start(self.request)
        while advertiser.next() != .enable { while self.step(&advertiser, .success) != nil {} }
        #expect(self.outcome(&advertiser, .commandDisallowed) == .refused(number, .refused(.commandDisallowed)))
        #expect(advertiser.isOff)
        #expect(advertiser.next() == nil)
    }

    @Test("a request that waits for a free link counts as started, and what takes its place is configured anew")
    func changesWhileWaiting() {
        var advertiser = Advertiser()
        advertiser.connected(asPeripheral: true)
        let number = advertiser.start(self.request)
        while advertiser.next() != .enable { while self.step(&advertiser, .success) != nil {} }
        #expect(self.outcome(&advertiser, .commandDisallowed) == .started(number))
        #expect(advertiser.next() == nil)
        let next = advertiser.start(self.other)
        #expect(advertiser.next() == .setParameters(self.other))
        while self.step(&advertiser, .success) != nil {}
        #expect(advertiser.next() == .enable)
        // The one that it took the place of is not reported again; its own start is.
        #expect(self.outcome(&advertiser, .success) == .started(next))
    }

    @Test("a request that waits for a free link is reported as started once, however often it is refused")
    func reportedOnce() {
        var advertiser = Advertiser()
        for _ in 0..<3 { advertiser.connected(asPeripheral: true) }
        let number = advertiser.start(self.request)
        while advertiser.next() != .enable { while self.step(&advertiser, .success) != nil {} }
        #expect(self.outcome(&advertiser, .commandDisallowed) == .started(number))
        advertiser.disconnected(linksLeft: 2)
        #expect(advertiser.next() == .enable)
        #expect(self.isSilent(&advertiser, .commandDisallowed))
        advertiser.disconnected(linksLeft: 1)
        #expect(advertiser.next() == .enable)
        #expect(self.isSilent(&advertiser, .success))
    }

    @Test("what was asked before the latest request is neither reported as started nor as refused")
    func outdatedRequests() {
        let endings: [(HCIErrorCode, hasLinks: Bool)] = [
            (.success, false), (.commandDisallowed, false), (.commandDisallowed, true),
        ]
        for (status, hasLinks) in endings {
            var advertiser = Advertiser()
            if hasLinks { advertiser.connected(asPeripheral: true) }
            _ = advertiser.start(self.request)
            while advertiser.next() != .enable { while self.step(&advertiser, .success) != nil {} }
            let latest = advertiser.start(self.other)
            #expect(self.outcome(&advertiser, status) == nil, "\(status) \(hasLinks)")
            #expect(self.start(&advertiser) == [.started(latest)], "\(status) \(hasLinks)")
        }
    }

    @Test("a request whose data is already there is enabled without sending it again")
    func sameData() {
        var advertiser = Advertiser()
        _ = advertiser.start(self.request)
        _ = self.start(&advertiser)
        advertiser.connected(asPeripheral: true)
        let number = advertiser.start(self.request)
        #expect(advertiser.next() == .enable)
        #expect(self.outcome(&advertiser, .success) == .started(number))
        advertiser.connected(asPeripheral: true)
        _ = advertiser.start(self.other)
        #expect(advertiser.next() == .setParameters(self.other))
    }

    @Test("While it is held the controller does not advertise; then everything is set again, and nothing is reported")
    func held() {
        var advertiser = Advertiser()
        _ = advertiser.start(self.request)
        _ = self.start(&advertiser)
        advertiser.isHeld = true
        #expect(advertiser.next() == .disable)
        #expect(self.isSilent(&advertiser, .success))
        #expect(advertiser.next() == nil)
        #expect(advertiser.isOff && advertiser.isWanted)
        advertiser.isHeld = false
        #expect(advertiser.next() == .setParameters(self.request))
        #expect(self.step(&advertiser, .success) == .setData(self.request.data))
        #expect(self.step(&advertiser, .success) == .setScanResponse(self.request.scanResponse))
        #expect(self.isSilent(&advertiser, .success))
        #expect(advertiser.next() == .enable)
        #expect(self.isSilent(&advertiser, .success), "the start is reported once")
    }

    @Test("What was configured before it was held is configured again", arguments: [true, false])
    func heldWhileConfigured(waitsForLink: Bool) {
        var advertiser = Advertiser()
        _ = advertiser.start(self.request)
        _ = self.start(&advertiser)
        advertiser.connected(asPeripheral: true)
        if waitsForLink {
            #expect(advertiser.next() == .enable)
            #expect(self.isSilent(&advertiser, .connectionLimitExceeded))
        }
        advertiser.isHeld = true
        #expect(advertiser.next() == nil)
        #expect(advertiser.isOff)
        advertiser.isHeld = false
        #expect(advertiser.next() == .setParameters(self.request))
    }
}
