// The channels that an app opens on its connection: carries out what `ChannelOpenRequests` decides.

import BluetoothHost

extension PeripheralConnection {
    /// Queues a request for a channel.
    /// - Parameter invalidations: The number of invalidations that the app had got when it called.
    func openChannel(_ psm: CBL2CAPPSM, invalidations: Int) {
        guard self.link != nil, !self.invalidations.isBeforeLoss(invalidations) else { return }
        self.perform(self.channelRequests.enqueue(psm))
    }

    private func perform(_ action: ChannelOpenRequests.Action?) {
        let core = self.session.core
        var next = action
        while let action = next, let link = self.link {
            switch action {
            case .open(let psm):
                let spsm = SPSM(rawValue: psm)
                return core.host.openChannel(on: link, spsm: spsm, configuration: Channels.configuration) {
                    [weak self, unowned core] result in
                    if let self, self.link != nil { return self.opened(psm, result) }
                    // Cancelled meanwhile.
                    if case .success(let channel) = result { core.host.closeChannel(channel.id) }
                }
            case .refuse:
                self.report(.channelRefused(self.id, CBError.reported(.invalidParameters)))
                next = self.channelRequests.completed()
            }
        }
    }

    private func opened(_ psm: CBL2CAPPSM, _ result: Result<L2CAPChannelInformation, L2CAPChannelOpenError>) {
        switch result {
        case .success(let channel):
            let handle = self.session.core.channels.opened(channel, for: self)
            self.report(.channelOpened(self.id, psm, handle))
        // Only the disconnection is reported.
        case .failure(.notConnected): return self.channelRequests.cancelAll()
        case .failure(let error): self.report(.channelRefused(self.id, coreBluetoothError(error)))
        }
        self.perform(self.channelRequests.completed())
    }
}
