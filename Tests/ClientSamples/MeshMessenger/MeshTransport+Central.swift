// The central role: finding neighbours, connecting to some of them, and getting over the loss of each.

import CoreBluetooth

extension MeshTransport: CBCentralManagerDelegate, CBPeripheralDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        assertOnQueue()
        let state = central.state
        DispatchQueue.main.async { [weak self] in self?.stateDidChange?(state) }
        if state == .poweredOn {
            scan()
        } else {
            forgetLinks()
        }
    }

    // MARK: Finding

    /// Scans for a moment, and again after a pause: a scan that goes on costs power, and reports each device once.
    private func scan() {
        guard let central = central, central.state == .poweredOn, !central.isScanning else { return }
        central.scanForPeripherals(
            withServices: [MeshTransport.service],
            options: [CBCentralManagerScanOptionAllowDuplicatesKey: false]
        )
        queue.asyncAfter(deadline: .now() + Limits.scan) { [weak self] in
            guard let self = self, let central = self.central, central.isScanning else { return }
            central.stopScan()
            let pause = Double.random(in: self.links.isEmpty ? Limits.lonelyScanPause : Limits.scanPause)
            self.queue.asyncAfter(deadline: .now() + pause) { [weak self] in self?.scan() }
        }
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        assertOnQueue()
        guard advertisementData[CBAdvertisementDataIsConnectable] as? Bool ?? true else { return }
        if let known = candidates[peripheral.identifier] {
            known.lastSeen = Date()
        } else {
            candidates[peripheral.identifier] = Candidate(peripheral)
        }
        // Not all at once, and not always the one that was first.
        queue.asyncAfter(deadline: .now() + Double.random(in: Limits.connectDelay)) { [weak self] in
            self?.connectCandidates()
        }
    }

    // MARK: Connecting

    func connectCandidates() {
        assertOnQueue()
        guard central?.state == .poweredOn else { return }
        let now = Date()
        let busy = candidates.values.filter(\.isBusy).count
        guard busy < Limits.outgoingLinks else { return }
        let linked = Set(links.values.compactMap(\.peer))
        let due = candidates.values.filter { candidate in
            guard case .idle = candidate.phase, candidate.backoff.notBefore <= now else { return false }
            return !(candidate.peer.map(linked.contains) ?? false)
        }
        for candidate in due.shuffled().prefix(Limits.outgoingLinks - busy) { connect(candidate) }
    }

    private func connect(_ candidate: Candidate) {
        begin(candidate)
        candidate.peripheral.delegate = self
        central?.connect(candidate.peripheral)
    }

    /// Begins what has to end in a link; Core Bluetooth itself never gives up.
    func begin(_ candidate: Candidate) {
        attemptNumber += 1
        let number = attemptNumber
        candidate.phase = .attempt(number)
        queue.asyncAfter(deadline: .now() + Limits.connectAttempt) { [weak self, weak candidate] in
            guard let self = self, let candidate = candidate else { return }
            guard case .attempt(number) = candidate.phase else { return }
            self.giveUp(candidate)
        }
    }

    private func giveUp(_ candidate: Candidate) {
        candidate.phase = .idle
        candidate.backoff.failed()
        central?.cancelPeripheralConnection(candidate.peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        assertOnQueue()
        guard let candidate = candidates[peripheral.identifier], case .attempt = candidate.phase else {
            return central.cancelPeripheralConnection(peripheral)
        }
        peripheral.discoverServices([MeshTransport.service])
    }

    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: Error?) {
        assertOnQueue()
        guard let candidate = candidates[peripheral.identifier], case .attempt = candidate.phase else { return }
        candidate.phase = .idle
        candidate.backoff.failed()
    }

    func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?) {
        assertOnQueue()
        let id = LinkID(role: .outgoing, device: peripheral.identifier)
        let opened = links[id]?.opened
        close(id)
        guard let candidate = candidates[peripheral.identifier] else { return }
        switch candidate.phase {
        case .idle, .silent: break
        case .attempt: candidate.backoff.failed()
        case .linked:
            let wasGood = opened.map { Date().timeIntervalSince($0) > Limits.goodLink } ?? false
            if wasGood { candidate.backoff.succeeded() } else { candidate.backoff.failed() }
        }
        candidate.phase = .idle
        connectCandidates()
    }

    // MARK: What the other side has

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        assertOnQueue()
        guard let service = peripheral.services?.first(where: { $0.uuid == MeshTransport.service }) else {
            return failed(peripheral)
        }
        peripheral.discoverCharacteristics([MeshTransport.stream], for: service)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?) {
        assertOnQueue()
        guard let stream = service.characteristics?.first(where: { $0.uuid == MeshTransport.stream }) else {
            return failed(peripheral)
        }
        peripheral.setNotifyValue(true, for: stream)
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: Error?
    ) {
        assertOnQueue()
        if let candidate = candidates[peripheral.identifier], case .silent = candidate.phase { return }
        guard error == nil, characteristic.isNotifying, let candidate = candidates[peripheral.identifier] else {
            return failed(peripheral)
        }
        candidate.phase = .linked
        open(LinkID(role: .outgoing, device: peripheral.identifier), .peripheral(peripheral, characteristic))
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?) {
        guard error == nil, let value = characteristic.value else { return }
        received(value, over: LinkID(role: .outgoing, device: peripheral.identifier))
    }

    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
        assertOnQueue()
        if let link = links[LinkID(role: .outgoing, device: peripheral.identifier)] { pump(link) }
    }

    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        assertOnQueue()
        guard
            invalidatedServices.contains(where: { $0.uuid == MeshTransport.service }),
            let candidate = candidates[peripheral.identifier]
        else { return }
        close(LinkID(role: .outgoing, device: peripheral.identifier))
        begin(candidate)
        peripheral.discoverServices([MeshTransport.service])
    }

    private func failed(_ peripheral: CBPeripheral) {
        guard let candidate = candidates[peripheral.identifier] else {
            central?.cancelPeripheralConnection(peripheral)
            return
        }
        close(LinkID(role: .outgoing, device: peripheral.identifier))
        giveUp(candidate)
    }
}
