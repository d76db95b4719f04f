// The state of one virtual controller, and its interface to the host. Extensions in this folder implement single
// subjects (advertising, scanning, links, …); `ControllerSettings` holds what a host sets and HCI Reset clears.

import BluetoothHCI
import BluetoothTypes
import DequeModule
import NIOCore

/// A controller on the air.
final class Controller {
    unowned let air: Air
    /// Its number in the order of creation on this air.
    let index: Int
    let slot: AirSlot
    let model: ControllerModel
    let completedPacketsDelay: TimeAmount
    let knownCommands: [HCIOpcode: CommandHandler]
    let publicAddress: DeviceAddress
    var generator: SeededGenerator

    // MARK: Device

    private(set) var location = AirLocation.distance(.metres(1))
    /// Whether links to this peripheral fail to be established.
    var refusesConnections = false
    /// Whether the first link has failed, for the quirk `firstLinkFails`.
    var hasFailedLink = false
    private(set) var isOpen = true

    // MARK: Interface to the host

    private weak var channel: VirtualController?
    private weak var receiver: (any HCIChannelReceiver)?
    private var fromHost: [HCIPacket] = []
    private var toHost: [HCIPacket] = []
    /// Events that are delivered later than data.
    private let lateEvents = LateEvents()
    private var isInRunQueue = false
    private var isInDeliveries = false
    private var isStarted = false

    // MARK: State

    var settings = ControllerSettings()
    var advertisingSets: [AdvertisingSet] = []
    var scan: ScanState?
    var initiation: InitiationState?
    /// Which reports the host needs.
    private var reportNeed = AdvertisingReportNeed.all
    /// The number of the present scan.
    private var hearingNumber: UInt32 = 0
    var links: AirLinkTable
    var transmitBuffers = TransmitBuffers()
    var receiveBuffers: ReceiveBuffers
    /// With air time, when the radio is free again.
    var radioBusyUntil = NIODeadline.uptimeNanoseconds(0)

    let scanTimer = AirTimer()
    /// The deadline for reporting sent packets to the host.
    let completedPacketsTimer = AirTimer()

    init(air: Air, index: Int, slot: AirSlot, configuration: VirtualController.Configuration) {
        self.air = air
        self.index = index
        self.slot = slot
        self.model = configuration.model.clamped
        self.completedPacketsDelay = configuration.completedPacketsDelay
        self.knownCommands = Self.knownCommands(of: self.model)
        // The sequence depends only on the air's seed and the order of creation.
        var generator = SeededGenerator(seed: air.seed &+ UInt64(index) &* 0xD1B5_4A32_D192_ED03)
        self.generator = SeededGenerator(seed: generator.next())
        self.publicAddress = self.model.address ?? Self.publicAddress(seed: air.seed, index: index)
        self.links = AirLinkTable(limit: self.model.maximumLinkCount, firstHandle: self.model.firstHandle)
        self.receiveBuffers = ReceiveBuffers(linkLimit: self.model.maximumLinkCount)
        self.scanTimer.action = { [unowned self] in self.scanTimerFired() }
        self.completedPacketsTimer.action = { [unowned self] in self.sendNumberOfCompletedPackets() }
        self.lateEvents.timer.action = { [unowned self] in self.deliverLateEvents() }
    }

    deinit {
        self.lateEvents.timer.cancel()
        self.scanTimer.cancel()
        self.completedPacketsTimer.cancel()
    }

    /// A locally administered address, different for each controller of an air.
    private static func publicAddress(seed: UInt64, index: Int) -> DeviceAddress {
        var generator = SeededGenerator(seed: seed)
        let random = generator.next()
        let company = 0x02_0000 | random >> 48 | 0x01
        let device = (random &+ UInt64(index)) & 0xFF_FFFF
        return DeviceAddress(company << 24 | device, kind: .public)
    }

    var now: NIODeadline { self.air.now }

    var linkCount: Int { self.links.count }

    // MARK: Host to controller

    func start(channel: VirtualController, receiver: any HCIChannelReceiver) {
        self.channel = channel
        self.receiver = receiver
        self.isStarted = true
        if !self.toHost.isEmpty { self.queueDelivery() }
    }

    func send(_ packet: HCIPacket) {
        guard self.isOpen else { return }
        self.fromHost.append(packet)
        guard !self.isInRunQueue else { return }
        self.isInRunQueue = true
        self.air.enqueue(self)
    }

    func handleHostPackets() {
        self.isInRunQueue = false
        var batch: [HCIPacket] = []
        swap(&batch, &self.fromHost)
        for index in batch.indices {
            guard self.isOpen else { return }
            let kind = batch[index].kind
            if kind == .aclData {
                self.handleData(&batch[index])
            } else if kind == .command {
                self.handleCommand(batch[index])
            }
        }
        // No host is called while packets are handled, so no packets were added; reuse the memory.
        batch.removeAll(keepingCapacity: true)
        swap(&batch, &self.fromHost)
    }

    // MARK: Controller to host

    /// Sends a packet regardless of event masks.
    func deliver(_ packet: HCIPacket) {
        guard self.isOpen else { return }
        if self.model.eventDelay > .zero, packet.kind == .event {
            return self.deliver(packet, after: self.model.eventDelay)
        }
        self.toHost.append(packet)
        self.queueDelivery()
    }

    /// Sends an event after a delay, but not before events that already wait.
    func deliver(_ packet: HCIPacket, after delay: TimeAmount) {
        self.lateEvents.packets.append((packet, max(self.now + delay, self.lateEvents.packets.last?.time ?? self.now)))
        if let first = self.lateEvents.packets.first { self.air.arm(self.lateEvents.timer, at: first.time) }
    }

    private func deliverLateEvents() {
        while let first = self.lateEvents.packets.first, first.time <= self.now, self.isOpen {
            self.toHost.append(self.lateEvents.packets.removeFirst().packet)
            self.queueDelivery()
        }
        if let first = self.lateEvents.packets.first { self.air.arm(self.lateEvents.timer, at: first.time) }
    }

    /// Sends an event if the host wants it.
    func emit(_ event: some HCIEventPayload) {
        guard self.wants(event) else { return }
        self.deliver(event.packet())
    }

    /// Whether the event masks allow an event (Vol 4, Part E, 7.3.1, 7.3.69 and 7.8.1).
    private func wants<Event: HCIEventPayload>(_: Event) -> Bool {
        if let subevent = Event.leSubevent { return self.wants(subevent) }
        if Event.code.rawValue >= EventMaskPage2.firstCode { return self.settings.eventMaskPage2.contains(Event.code) }
        return self.settings.eventMask.contains(Event.code)
    }

    /// Whether the event masks allow an LE event.
    func wants(_ subevent: LESubeventCode) -> Bool {
        self.settings.eventMask.contains(.leMeta) && self.settings.leEventMask.contains(subevent)
    }

    /// Whether packets wait for delivery to the host.
    var hasPacketsForHost: Bool { !self.toHost.isEmpty }

    private func queueDelivery() {
        guard !self.isInDeliveries else { return }
        self.isInDeliveries = true
        self.air.enqueueDelivery(self)
    }

    /// Delivers all waiting packets to the host in one batch.
    func deliverToHost() {
        // Send a deferred report along with these packets.
        if self.transmitBuffers.completedCount > 0 { self.sendNumberOfCompletedPackets() }
        self.isInDeliveries = false
        guard let channel = self.channel, let receiver = self.receiver else {
            // Packets wait until the host has started; those for a deallocated host are dropped.
            if self.isStarted { self.toHost.removeAll() }
            return
        }
        var batch: [HCIPacket] = []
        swap(&batch, &self.toHost)
        for packet in batch {
            guard self.isOpen else { return }
            receiver.channel(channel, didReceive: packet)
        }
        if self.isOpen { receiver.channelDidFinishBatch(channel) }
        batch.removeAll(keepingCapacity: true)
        if self.toHost.isEmpty { swap(&batch, &self.toHost) }
    }

    // MARK: Hearing

    /// Which advertising the controller listens for.
    var hearing: Hearing {
        guard self.isListening else { return .notListening }
        guard case .changes = self.reportNeed, self.initiation == nil, !self.settings.privacy.isResolving,
            self.receiveBuffers.isHostWritable
        else { return .everything }
        return .changes(self.hearingNumber)
    }

    /// To be called after every change that ``hearing`` depends on.
    func hearingChanged() {
        if self.isOpen { self.air.setHearing(self.hearing, of: self.slot) }
    }

    /// Starts over: the host needs a report of everything again.
    func beginHearing() {
        self.hearingNumber = self.air.makeHearingNumber()
        self.hearingChanged()
    }

    /// Sets which reports the host needs.
    func setReportNeed(_ need: AdvertisingReportNeed) {
        guard need != self.reportNeed else { return }
        self.reportNeed = need
        self.beginHearing()
    }

    // MARK: Device

    func move(to location: AirLocation) {
        let before = self.location
        self.location = location
        if self.isOpen { self.air.moved(self, from: before) }
        self.reviewLinks()
    }

    /// Checks which links have lost or regained their peer.
    func reviewLinks() {
        for entry in self.links.entries { entry.link.reviewReach() }
    }

    /// Updates the links after a change of the air's loss.
    func reviewLoss() {
        for entry in self.links.entries { entry.link.reviewLoss() }
    }

    /// Leaves the air without sending any PDU.
    func powerOff() {
        guard self.isOpen else { return }
        self.abandonLinkLayer()
        self.isOpen = false
        self.lateEvents.timer.cancel()
        self.fromHost = []
        self.toHost = []
        self.receiver = nil
        self.channel = nil
        self.air.remove(self)
    }

    /// Stops the link layer without sending anything; peers notice by their supervision timeouts.
    func abandonLinkLayer() {
        for set in self.advertisingSets { set.stop() }
        self.advertisingSets = []
        self.scan = nil
        self.scanTimer.cancel()
        self.initiation = nil
        self.hearingChanged()
        let abandoned = self.links.removeAll()
        self.completedPacketsTimer.cancel()
        self.transmitBuffers = TransmitBuffers()
        self.receiveBuffers.reset()
        for entry in abandoned { entry.link.abandoned(by: entry.end) }
    }

    /// HCI Reset (Vol 4, Part E, 7.3.2).
    func reset(_: Reset) {
        self.abandonLinkLayer()
        self.settings = ControllerSettings()
        self.hearingChanged()
        let answer = CommandComplete.packet(
            Reset.self,
            StatusReturnParameters(),
            numberOfCommandPackets: self.commandCredits
        )
        if self.model.resetDelay > .zero {
            self.deliver(answer, after: self.model.resetDelay)
        } else {
            self.deliver(answer)
        }
        if self.model.quirks.contains(.vendorEvents) {
            self.deliver(HCIPacket(h4: ByteBuffer(bytes: [0x04, 0xFF, 0x07, 0x02, 0, 0, 0, 0, 0x01, 0])))
        }
    }

    // MARK: Roles

    /// Throws Command Disallowed if this model cannot combine a role with its present ones.
    func requireRole(_ role: ControllerModel.Roles) throws(HCIErrorCode) {
        guard !self.model.excludedRoles.isEmpty else { return }
        var roles = role
        if self.isAdvertising() { roles.insert(.advertising) }
        if self.scan != nil { roles.insert(.scanning) }
        if self.initiation != nil { roles.insert(.initiating) }
        for entry in self.links.entries { roles.insert(entry.end.role == .central ? .central : .peripheral) }
        let isExcluded = self.model.excludedRoles.contains { $0.contains(role) && roles.isSuperset(of: $0) }
        if isExcluded { throw .commandDisallowed }
    }
}

/// Events on their way to the host.
private final class LateEvents {
    var packets: Deque<(packet: HCIPacket, time: NIODeadline)> = []
    let timer = AirTimer()
}

/// The settings of a host, which HCI Reset clears.
struct ControllerSettings {
    /// The two families of commands for advertising, scanning and initiating, which do not mix
    /// (Vol 4, Part E, 3.1.1).
    enum CommandFamily {
        case undecided
        case legacy
        case extended
    }

    var eventMask = EventMask.initial
    var eventMaskPage2 = EventMaskPage2.initial
    var leEventMask = LEEventMask.initial
    var commandFamily = CommandFamily.undecided
    var isLESupportedByHost = false

    var randomAddress: DeviceAddress?
    var acceptList: [FilterAcceptListEntry] = []
    var privacy = PrivacySettings()

    var scanParameters = ScanSettings()

    var suggestedTransmitOctets = DataPacketLimits.minimumOctets
    var suggestedTransmitTime = DataPacketLimits.minimumTime
    var preferredTransmitterPHYs = PHYSet.all
    var preferredReceiverPHYs = PHYSet.all
    var channelClassification = ChannelMap.all
    var transmitCompensation: Int16 = 0
    var receiveCompensation: Int16 = 0
    /// The private P-256 key, once the host has asked for a public one.
    var privateKey: [UInt8]?
}

extension PHYSet {
    /// All three.
    static let all: PHYSet = [.le1M, .le2M, .leCoded]
}
