// Takes away what Safari 16.4, Chrome 111 and Firefox 115 do not have.
delete Map.groupBy;
delete Object.groupBy;
delete Promise.withResolvers;
for (const name of ["popover", "showPopover", "hidePopover", "togglePopover", "currentCSSZoom", "checkVisibility"])
  for (const { prototype } of [HTMLElement, Element]) delete prototype[name];
for (const { prototype } of [HTMLButtonElement, HTMLInputElement]) { delete prototype.popoverTargetElement; delete prototype.popoverTargetAction; }
delete Document.prototype.caretPositionFromPoint;
delete AbortSignal.any;
