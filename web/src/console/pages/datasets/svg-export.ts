/** Serialises a drawing with a background, without the pointer highlight. */
export function serialiseSvg(drawing: SVGSVGElement, background: string): string {
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.removeAttribute('aria-hidden');
  copy.removeAttribute('class');
  copy.querySelectorAll('.here').forEach((one) => one.remove());
  const under = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  under.setAttribute('width', '100%');
  under.setAttribute('height', '100%');
  under.setAttribute('fill', background);
  copy.prepend(under);
  copy.querySelectorAll('[class]').forEach((one) => one.removeAttribute('class'));
  return new XMLSerializer().serializeToString(copy);
}

/** Renders a drawing as PNG at twice the screen resolution. */
export async function renderPng(drawing: SVGSVGElement, background: string): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([serialiseSvg(drawing, background)], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = drawing.width.baseVal.value * 2;
    canvas.height = drawing.height.baseVal.value * 2;
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise<Blob>((resolve, reject) =>
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no picture'))), 'image/png'),
    );
  } finally {
    URL.revokeObjectURL(url);
  }
}
